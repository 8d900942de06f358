import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AgentError } from '../agent-error.ts';
import { redact } from '../settings/secret.ts';

/** What a source says, and what it is called. */
export interface SourceText {
  readonly title: string;
  readonly source: string;
  readonly text: string;
}

/** A text file of at most `maxBytes`. Rejects with `AgentError` for anything else. */
export async function readFileSource(path: string, maxBytes: number): Promise<SourceText> {
  const unreadable = (cause: unknown): AgentError =>
    failed(`a readable file at ${path}`, 'it could not be read', cause);
  const file = await stat(path).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  // A device may have no end, and a pipe nobody at the other one.
  if (!file.isFile()) throw failed(`a readable file at ${path}`, 'it is a folder, a device or a pipe');
  if (file.size > maxBytes) throw failed(`at most ${maxBytes} bytes in ${path}`, `it has ${file.size}`);
  const bytes = await readBytes(createReadStream(path), maxBytes, { name: path, broken: unreadable });
  return { title: path.split(/[\\/]/).at(-1) ?? path, source: path, text: decode(bytes, path) };
}

/**
 * The text at a URL, HTML without its tags. Rejects with `AgentError` unless it is a text of a success of at most
 * `maxBytes`. A redirection is refused: who allowed this URL did not see the other one. Errors show the URL without the
 * values of its query, which may be keys (case 131).
 */
export async function readUrlSource(
  url: string,
  options: {
    readonly fetch: typeof globalThis.fetch;
    readonly maxBytes: number;
    readonly signal?: AbortSignal;
  },
): Promise<SourceText> {
  const source = parseUrl(url);
  const shown = redact(source, []);
  const { fetch, maxBytes, signal = null } = options;
  const response = await fetch(source, { redirect: 'manual', signal }).catch((cause: unknown) => {
    throw failed(`an answer from ${shown}`, 'none came', cause);
  });
  const type = response.headers.get('content-type') ?? '';
  const fault = findFault(response, type, { source, shown });
  if (fault !== undefined) {
    await response.body?.cancel(); // nobody reads it, and it would keep its connection
    throw fault;
  }
  const broken = (cause: unknown): AgentError =>
    failed(`a whole answer from ${shown}`, 'it broke off', cause);
  const bytes = await readBytes(response.body ?? [], maxBytes, { name: shown, broken });
  const text = decode(bytes, shown);
  return /html/i.test(type) ? { ...htmlText(text, source), source } : { title: source, source, text };
}

/** Why the answer is no text to be read. */
function findFault(
  { ok, status, headers }: Response,
  type: string,
  { source, shown }: { readonly source: string; readonly shown: string },
): AgentError | undefined {
  if (!ok) {
    const target = URL.parse(headers.get('location') ?? '', source);
    const where =
      headers.has('location') && target ? ` and leads to ${target.origin}; add that URL itself` : '';
    return failed(`status 200 from ${shown}`, `it answered ${status}${where}`);
  }
  if (/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i.test(type)) return undefined;
  return failed(`a text at ${shown}`, `its content type is "${type}"`);
}

/** The URL in its one form. Nothing of another text is shown: it may hold a password. */
function parseUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw failed('a URL with http or https', 'another text came');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw failed(`a URL of ${parsed.host} without user and password`, 'it has them');
  }
  return parsed.href;
}

/** All of a stream, and never more of it in memory than allowed; `broken` is thrown where it fails. */
async function readBytes(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  { name, broken }: { readonly name: string; readonly broken: (cause: unknown) => AgentError },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw broken(cause);
  }
  if (size > maxBytes) throw failed(`at most ${maxBytes} bytes from ${name}`, 'more came');
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw failed(`UTF-8 text in ${source}`, 'it holds other bytes', cause);
  }
}

/** What a reader would see, roughly: enough for a search, no more. */
function htmlText(html: string, source: string): { readonly title: string; readonly text: string } {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1] ?? source;
  const text = html
    .replaceAll(/<!--[\s\S]*?-->|<(script|style|head|template)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<\/?(?:p|div|h[1-6]|li|ul|ol|tr|table|section|article|br|blockquote|pre)\b[^>]*>/gi, '\n\n')
    .replaceAll(/<[^>]*>/g, ' ');
  return {
    title: unescapeHtml(title).trim(),
    text: unescapeHtml(text)
      .replaceAll(/[ \t]+/g, ' ')
      .trim(),
  };
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function unescapeHtml(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi,
    (whole: string, decimal, hex, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}

function failed(expected: string, came: string, cause?: unknown): AgentError {
  return new AgentError('SERVICE_FAILED', `Expected ${expected}; ${came}.`, { cause });
}
