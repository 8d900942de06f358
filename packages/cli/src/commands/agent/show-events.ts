import type { TurnEvent } from '@quartermaster/agent/turns';
import type { Output } from '../../surroundings.ts';

type ShowEvent = (event: TurnEvent) => void;

const maxShown = 200;

/** One JSON object a line, as it happens. */
export function showAsJson(out: Output): ShowEvent {
  return (event) => out.write(`${JSON.stringify(event)}\n`);
}

/** What the root agent says goes to `out`; what is done, by whom, goes to `err`. */
export function showAsText({ out, err }: { readonly out: Output; readonly err: Output }): ShowEvent {
  let root: string | undefined;
  let isInLine = false;
  const note = (agent: string, text: string): void => {
    if (isInLine) out.write('\n');
    isInLine = false;
    err.write(`[${agent}] ${text}\n`);
  };
  return (event) => {
    root ??= event.session.session;
    const { agent } = event;
    switch (event.type) {
      case 'text-delta':
        if (event.session.session !== root) return;
        out.write(event.text);
        isInLine = !event.text.endsWith('\n');
        return;
      case 'tool-call':
        return note(agent, `${event.name} ${shorten(JSON.stringify(event.input))}`);
      case 'tool-result':
        return note(agent, `${event.result.name}: ${event.result.outcome} ${shorten(event.result.text)}`);
      case 'error':
        return note(agent, `${event.recoverable ? 'warning' : 'error'}: ${event.message} (${event.code})`);
      case 'compaction':
        return note(agent, `made room by a summary (${event.reason})`);
      case 'turn-end':
        if (event.session.session === root && isInLine) out.write('\n');
        return;
      default:
    }
  };
}

/** On one line. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`;
}
