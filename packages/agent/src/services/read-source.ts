import { readFile, stat } from 'node:fs/promises';
import { AgentError } from '../agent-error.ts';

/** What a source says, and what it is called. */
export interface SourceText {
  readonly title: string;
  readonly source: string;
  readonly text: string;
}

/** A text file of at most `maxBytes`. Rejects with `AgentError` for anything else. */
export async function readFileSource(path: string, maxBytes: number): Promise<SourceText> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw failed(`a readable file at ${path}`, 'it could not be read', cause);
  });
  if (size > maxBytes) throw failed(`at most ${maxBytes} bytes in ${path}`, `it has ${size}`);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw failed(`a readable file at ${path}`, 'it could not be read', cause);
  });
  return { title: path.split(/[\\/]/).at(-1) ?? path, source: path, text: decode(bytes, path) };
}

/**
 * The text at a URL, HTML without its tags. Rejects with `AgentError` unless it is a text of a success of at most
 * `maxBytes`. A redirection is refused: who allowed this URL did not see the other one.
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
  const { fetch, maxBytes, signal = null } = options;
  const response = await fetch(source, { redirect: 'manual', signal }).catch((cause: unknown) => {
    throw failed(`an answer from ${source}`, 'none came', cause);
  });
  if (!response.ok) {
    const location = response.headers.get('location');
    const where =
      location === null ? '' : ` and leads to ${new URL(location, source).origin}; add that URL itself`;
    throw failed(`status 200 from ${source}`, `it answered ${response.status}${where}`);
  }
  const type = response.headers.get('content-type') ?? '';
  if (!/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i.test(type)) {
    throw failed(`a text at ${source}`, `its content type is "${type}"`);
  }
  const text = decode(await readBytes(response, maxBytes, source), source);
  return /html/i.test(type) ? { ...htmlText(text, source), source } : { title: source, source, text };
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

async function readBytes(response: Response, maxBytes: number, source: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw failed(`at most ${maxBytes} bytes from ${source}`, 'more came');
    chunks.push(chunk);
  }
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
