import { INTERNAL_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * The message of one line; nothing for a line that is none. An answer in a form that there is not becomes an error
 * under its id, so that who waits for it need not wait for its time to run out (case 123).
 */
export function readMessage(line: string): JSONRPCMessage | undefined {
  const value = parseJson(line);
  try {
    return parseJSONRPCMessage(value);
  } catch {
    const id = answeredId(value);
    if (id === undefined) return undefined;
    const message = 'The server gave an answer that has neither a result nor an error.';
    return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } };
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function answeredId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return undefined;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined;
}
