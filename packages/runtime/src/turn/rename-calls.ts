import type { AssistantMessage, ToolCallPart } from '@quartermaster/agent/messages';

type Content = AssistantMessage['content'];

/**
 * The parts of an answer with ids of calls that stand nowhere else in the session: a vendor may use one again in a later
 * turn, and means another call. A part that repeats another of the same answer, id, name and input alike, is the same
 * call and is left out; it runs once (case 73).
 */
export function renameCalls(content: Content, used: ReadonlySet<string>): Content {
  const taken = new Set(used);
  const written = new Set<string>();
  return content.flatMap((part): Content => {
    if (part.type !== 'tool-call') return [part];
    const { callId, name, input } = part;
    const call = JSON.stringify([callId, name, input]);
    if (written.has(call)) return [];
    written.add(call);
    const renamed: ToolCallPart = { ...part, callId: freeId(callId, taken) };
    taken.add(renamed.callId);
    return [renamed];
  });
}

/** Counted up, so that the same log gives the same id. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  const base = id === '' ? 'call' : id;
  if (!taken.has(base)) return base;
  for (let count = 2; ; count += 1) {
    const candidate = `${base.slice(0, maxIdLength - String(count).length - 1)}_${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Longer ids of calls are refused by at least one provider. */
const maxIdLength = 64;
