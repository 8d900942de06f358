import type { JsonValue, Message } from '@quartermaster/agent/messages';
import type { ModelRequest } from './language-model.ts';

/** Fewer characters than this in common are chance, but where they are a whole text. */
const minQuote = 20;
const minText = 4;

const mask = '[prompt]';

/**
 * The beginning of a vendor's words without what they quote of a prompt: some servers answer a bad body with that body.
 */
export function maskQuotes(
  said: string,
  request: ModelRequest,
  { maxLength }: { readonly maxLength: number },
): string {
  const texts = textsIn(request);
  const long = texts.filter(({ length }) => length >= minQuote);
  const short = texts.filter(({ length }) => length >= minText && length < minQuote);
  const masked = maskParts(said, long, maxLength);
  return short.reduce((rest, text) => rest.replaceAll(text, mask), masked);
}

/** What begins before `maxLength` is judged by what stands behind it: a quote that is cut is none any more. */
function maskParts(said: string, texts: readonly string[], maxLength: number): string {
  let shown = '';
  let from = 0;
  for (let at = 0; at < Math.min(said.length, maxLength); at += 1) {
    const length = quoteAt(said, at, { texts, maxLength });
    if (length === 0) continue;
    shown += said.slice(from, at) + mask;
    from = at + length;
    at = from - 1;
  }
  return shown + said.slice(from, Math.max(from, maxLength));
}

/** The length of the longest quote that begins at `at`, as far as it is within `maxLength`; 0 where none does. */
function quoteAt(
  said: string,
  at: number,
  { texts, maxLength }: { readonly texts: readonly string[]; readonly maxLength: number },
): number {
  const start = said.slice(at, at + minQuote);
  if (start.length < minQuote) return 0;
  const quoted = texts.filter((text) => text.includes(start));
  if (quoted.length === 0) return 0;
  // A server may answer with the whole of a prompt: its end is of no matter, and looking for it would take for ever.
  const end = Math.min(said.length, maxLength);
  let length = minQuote;
  while (at + length < end && quoted.some((text) => text.includes(said.slice(at, at + length + 1)))) {
    length += 1;
  }
  return length;
}

/** What a person or a tool wrote. Names and schemas of tools are not among it: an error about them must name them. */
function textsIn(request: ModelRequest): readonly string[] {
  return [request.system, ...request.messages.flatMap(textsOf)];
}

function textsOf(message: Message): readonly string[] {
  if (message.role === 'tool') return message.results.map(({ text }) => text);
  return message.content.flatMap((part) => (part.type === 'tool-call' ? stringsIn(part.input) : [part.text]));
}

function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
