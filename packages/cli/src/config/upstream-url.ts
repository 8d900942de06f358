/** A provider's base URL as a person wrote it, or why it can't be one. */
export type UpstreamUrl =
  | { readonly type: 'base'; readonly url: URL }
  | { readonly type: 'refused'; readonly reason: string };

/** Paths that clients call: a base URL that ends in one would be joined twice. */
const endpoint =
  /\/(messages(\/(count_tokens|batches))?|responses|(chat\/)?completions|embeddings|models)$|:\w+$/;
const version = /\/v1(alpha|beta)?$/;

/**
 * Brings the usual spellings of a base URL into one form (case 11): no version at the end, since clients
 * send it in their paths, no slash at the end, prefix kept, no query and no fragment.
 */
export function parseUpstreamUrl(text: string): UpstreamUrl {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return { type: 'refused', reason: 'expected a base URL that starts with http:// or https://' };
  }
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  const found = endpoint.exec(path);
  if (found !== null) {
    const base = `${url.origin}${path.slice(0, found.index).replace(version, '')}`;
    return { type: 'refused', reason: `expected a base URL such as ${base}, not a full endpoint` };
  }
  url.pathname = path.replace(version, '');
  url.search = '';
  url.hash = '';
  return { type: 'base', url };
}

/** A text that may hold a URL, fit to be shown: without user info, and without the query's values (case 131). */
export function maskUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@').replace(/([?&][^=&#]*)=[^&#]*/gs, '$1=…');
}
