/** What a client signalled about one of its sessions (SG1). */
export interface ToolSearchSignal {
  readonly session: string;
  readonly isOptOut: boolean;
}

/** A signal that was read, or what is wrong with it, for people. */
export type SignalReading =
  | { readonly type: 'signal'; readonly signal: ToolSearchSignal }
  | { readonly type: 'refused'; readonly reason: string };

/** Reads the body of a `/tool-search` signal. */
export function readSignal(body: string): SignalReading {
  const json = parseObject(body);
  if (json === undefined) return refused('a JSON object');
  const { session } = json;
  if (typeof session !== 'string' || !isPlainId(session)) {
    return refused('"session" to be an id of 1 to 200 letters, digits and _ - . : @ + = ~');
  }
  return { type: 'signal', signal: { session, isOptOut: isOff(json['enable_tool_search']) } };
}

/** The body of a route that needs nothing of it: none, or a JSON object. */
export function isEmptyOrObject(body: string): boolean {
  return body.trim() === '' || parseObject(body) !== undefined;
}

const plainId = /^[A-Za-z0-9_][A-Za-z0-9_.:@+=~-]{0,199}$/;
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** An id that stands for itself wherever it is written: scoping it to a tenant changes nothing (SG4, case 135). */
function isPlainId(id: string): boolean {
  return plainId.test(id) && !deviceName.test(id);
}

const offTexts: ReadonlySet<string> = new Set(['false', '0', 'no', 'off']);

/** SG1: exactly these texts, in any case; everything else changes nothing. */
function isOff(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return false;
  return offTexts.has(String(value).toLowerCase());
}

function parseObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(body);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

function refused(expected: string): SignalReading {
  return { type: 'refused', reason: `expected ${expected}` };
}
