import { hash } from 'node:crypto';
import { objectsIn, textOf } from '../json.ts';

/** All text of a message's content, a line a part; other parts say nothing. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => part['text'] ?? part['refusal'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** The text of the last part, where that is one. */
export function lastTextOf(content: unknown): string {
  return typeof content === 'string' ? content : (textOf(objectsIn(content).at(-1)?.['text']) ?? '');
}

/** Content as the model reads it: text as it is, pictures and files by a hash of their bytes. */
export function renderContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => textOf(part['text']) ?? textOf(part['refusal']) ?? JSON.stringify(part, hideBytes))
    .join('\n');
}

/** For `JSON.stringify`: a hash in the place of the bytes of a picture or file. */
export function hideBytes(key: string, value: unknown): unknown {
  return typeof value === 'string' && byteKeys.includes(key) ? hash('sha256', value) : value;
}

const byteKeys: readonly string[] = ['data', 'file_data', 'image_url', 'result', 'url'];
