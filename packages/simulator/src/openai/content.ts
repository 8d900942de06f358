import { hash } from 'node:crypto';
import { isObject, objectsIn, textOf, without } from '../json.ts';

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
    .map(
      (part) =>
        textOf(part['text']) ??
        textOf(part['refusal']) ??
        JSON.stringify(without(part, 'prompt_cache_breakpoint'), hideBytes),
    )
    .join('\n');
}

/**
 * The life that the last breakpoint in a content asks for, `default` where it leaves that to the request; `undefined`
 * without one. It counts at the content's end.
 */
export function breakpointIn(content: unknown): string | undefined {
  const marks = objectsIn(content)
    .map((part) => part['prompt_cache_breakpoint'])
    .filter(isObject);
  const last = marks.at(-1);
  return last === undefined ? undefined : (textOf(last['ttl']) ?? 'default');
}

/** For `JSON.stringify`: a hash in the place of the bytes of a picture or file. */
export function hideBytes(key: string, value: unknown): unknown {
  return typeof value === 'string' && byteKeys.includes(key) ? hash('sha256', value) : value;
}

const byteKeys: readonly string[] = ['data', 'file_data', 'image_url', 'result', 'url'];
