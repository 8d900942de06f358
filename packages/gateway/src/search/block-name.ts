import { hash } from 'node:crypto';
import type { JsonObject } from '../json.ts';

/**
 * Names a visible block of an answer, so that it is known again when the client sends it back: by the id that the provider
 * gave it, a thinking block by its signature, a text by its words.
 */
export function nameBlock(block: JsonObject): string {
  const { type, id, tool_use_id: answered, signature, data, text } = block;
  const told = id ?? answered;
  if (typeof told === 'string') return `${String(type)} ${told}`;
  if (isFilled(signature)) return digest('thinking', signature);
  if (isFilled(data)) return digest('thinking', data);
  if (type === 'text') return digest('text', String(text));
  const { cache_control: _mark, ...rest } = block;
  return digest(String(type), JSON.stringify(rest));
}

/** What kind of block bears the name; the two kinds of thoughts are one. */
export function kindOfName(name: string): string {
  return name.slice(0, name.indexOf(' '));
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function digest(kind: string, text: string): string {
  return `${kind} ${hash('sha256', text, 'base64').slice(0, 22)}`;
}
