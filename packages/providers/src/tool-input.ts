import type { JsonValue } from '@quartermaster/agent/messages';
import { parseJson } from './json.ts';

/**
 * The input of a call as the model wrote it; the text itself where it is no JSON. Nothing at all stands for an object
 * without members, but not where the answer was cut: what was to come there is not known.
 */
export function readToolInput(written: string, { isCut }: { readonly isCut: boolean }): JsonValue {
  if (written.trim() === '') return isCut ? written : {};
  return parseJson(written) ?? written;
}
