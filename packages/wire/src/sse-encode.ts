import { WireError } from './errors.ts';
import type { SseEvent } from './sse.ts';

/**
 * The text of an event, blank line included. `message` needs no name; each line of the data gets a `data` line,
 * and decodes with LF for whichever line ends it had.
 *
 * @throws WireError `WIRE_EVENT_NAME` where the name holds a line end.
 */
export function encodeSseEvent({ event, data }: SseEvent): string {
  if (/[\r\n]/.test(event)) {
    throw new WireError('WIRE_EVENT_NAME', 'Expected an event name of one line, got one with a line end.');
  }
  const name = event === 'message' ? '' : `event: ${event}\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${name}${lines.join('')}\n`;
}
