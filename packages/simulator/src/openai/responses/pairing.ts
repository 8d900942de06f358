import { ApiError } from '../../api-error.ts';
import { textOf } from '../../json.ts';
import { unseal } from '../../seal.ts';
import { refuseMember } from '../checks.ts';
import type { Item } from './request.ts';
import type { StoredResponses } from './stored-responses.ts';

/** Which output answers which call, and how errors name them. */
const pairs = [
  { call: 'function_call', output: 'function_call_output', named: 'function call' },
  { call: 'custom_tool_call', output: 'custom_tool_call_output', named: 'custom tool call' },
  { call: 'tool_search_call', output: 'tool_search_output', named: 'tool search call' },
] as const;

/** Rule 1: every call has an output after it and every output a call before it, by `call_id`, wherever they stand. */
export function checkPairing(items: readonly Item[]): void {
  for (const { call, output, named } of pairs) {
    const open = new Set<string>();
    const answered = new Set<string>();
    for (const { type, json } of items) {
      const callId = textOf(json['call_id']);
      // A search that the server ran has no call_id.
      if (callId === undefined) continue;
      if (type === call && !answered.has(callId)) open.add(callId);
      if (type !== output) continue;
      if (!open.delete(callId) && !answered.has(callId)) {
        throw refuseMember(
          `No tool call found for ${named} output with call_id ${callId}.`,
          undefined,
          'input',
        );
      }
      answered.add(callId);
    }
    const [unanswered] = open;
    if (unanswered !== undefined) {
      throw refuseMember(`No tool output found for ${named} ${unanswered}.`, undefined, 'input');
    }
  }
}

/** A thought stands before what came of it, and is either kept by the server or sealed by it. */
export function checkReasoning(items: readonly Item[], stored: StoredResponses): void {
  for (const [index, { type, json }] of items.entries()) {
    if (type !== 'reasoning') continue;
    const id = textOf(json['id']) ?? '';
    const sealed = textOf(json['encrypted_content']);
    if (sealed !== undefined) checkSeal(sealed);
    else if (!stored.hasItem(id)) throw unknownItem(id);
    if (!isOfModel(items[index + 1])) {
      throw refuseMember(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
        undefined,
        'input',
      );
    }
  }
}

/** An item that only a stored response could tell. */
export function unknownItem(id: string): ApiError {
  return new ApiError(
    'not_found_error',
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` ` +
      'set to true, or remove this item from your input.',
    { param: 'input' },
  );
}

function checkSeal(sealed: string): void {
  if (unseal(sealed) !== undefined) return;
  throw refuseMember(
    `The encrypted content ${sealed.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be ` +
      'decrypted or parsed.',
    'invalid_encrypted_content',
    'input',
  );
}

function isOfModel(item: Item | undefined): boolean {
  if (item === undefined) return false;
  if (item.type === 'message') return item.json['role'] === 'assistant';
  return item.type === 'reasoning' || item.type.endsWith('_call');
}
