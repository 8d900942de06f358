/** A URL as rules see it: no user info, no query, no fragment. */
export interface UrlTarget {
  /** `https:` */
  readonly scheme: string;
  /** Lower case, in ASCII, without a dot at its end; IPv6 in brackets, and as IPv4 where it only wraps one. */
  readonly host: string;
  readonly port: number | undefined;
  /** From its first slash; dots resolved, and no letter escaped that need not be. */
  readonly path: string;
  /** It was written with what servers read in two ways: `%2f`, `%5c`, `%00`, `%25`, a bare `%`, `//` or `;`. */
  readonly isPathUnclear: boolean;
}

/** What a text names, or why it names nothing for certain. */
export type UrlReading =
  | { readonly type: 'url'; readonly url: UrlTarget; readonly shown: string }
  | { readonly type: 'refused'; readonly reason: string };

const defaultPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'ftp:': 21,
};

/**
 * Canonicalises as the WHATWG does: case and international names of hosts, every spelling of an IPv4 address, default
 * ports, dots in the path. What other parsers take for another host is refused: white space, control characters and
 * backslashes, a missing `//`, user info, and escapes in the host.
 */
export function readUrl(text: string): UrlReading {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text))
    return refuse('it does not start with a scheme, :// and a host');
  if (/[\s\\\x00-\x1f\x7f]/.test(text))
    return refuse('it holds white space, a control character or a backslash');
  if (!URL.canParse(text)) return refuse('it is no URL');
  const url = new URL(text);
  if (/^[^/]*:\/\/[^/?#]*@/.test(text)) {
    return refuse('it carries a user or a password before its host; hand credentials over in another way');
  }
  const host = canonicalHost(url.hostname);
  if (host === '' || /^[^/]*:\/\/[^/?#]*%/.test(text)) return refuse('it has no plain host');
  const path = url.pathname === '' ? '/' : unescapeNeedless(url.pathname);
  // As it was written: a client that resolves no dots sends it so.
  const [, written = ''] = /^[^/]*:\/\/[^/?#]*([^?#]*)/.exec(text) ?? [];
  const isPathUnclear = /%(2f|5c|00|25|(?![0-9a-f]{2}))|\/\/|;/i.test(written);
  const port = url.port === '' ? defaultPorts[url.protocol] : Number(url.port);
  const target: UrlTarget = { scheme: url.protocol, host, port, path, isPathUnclear };
  return { type: 'url', url: target, shown: formatUrl(target) };
}

/** The port that a scheme has when none is given. */
export function defaultPortOf(scheme: string): number | undefined {
  return defaultPorts[scheme];
}

function formatUrl({ scheme, host, port, path }: UrlTarget): string {
  const isDefault = port === undefined || port === defaultPorts[scheme];
  return `${scheme}//${host}${isDefault ? '' : `:${port}`}${path}`;
}

/** `::ffff:7f00:1` is the IPv4 address 127.0.0.1 in another dress; a dot at the end names the same host. */
function canonicalHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (mapped === null) return host;
  const [high = 0, low = 0] = mapped.slice(1).map((word) => Number.parseInt(word, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** `%61` is `a`; what stays escaped is in lower case. */
export function unescapeNeedless(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : escape.toLowerCase();
  });
}

function refuse(reason: string): UrlReading {
  return { type: 'refused', reason };
}
