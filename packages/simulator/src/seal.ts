import { createHmac } from 'node:crypto';
import { isObject, textOf } from './json.ts';

/** Fixed, so that a conversation outlives a restart of the simulator. */
const key = 'quartermaster simulator';

/** A text that only the simulator opens again: an encrypted thought, a thought's signature. */
export function seal(text: string): string {
  return Buffer.from(JSON.stringify({ text, proof: proofOf(text) })).toString('base64');
}

/** The text of a seal, or `undefined` where it is none of ours or was altered. */
export function unseal(sealed: string): string | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(sealed, 'base64').toString('utf8'));
    const text = isObject(json) ? textOf(json['text']) : undefined;
    return text !== undefined && isObject(json) && json['proof'] === proofOf(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function proofOf(text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 16);
}
