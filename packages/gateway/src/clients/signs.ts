import type { IncomingHttpHeaders } from 'node:http';

/** A header that came once and says something. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether the User-Agent begins so; never the only sign of a client. */
export function isNamed(headers: IncomingHttpHeaders, beginning: string): boolean {
  return headers['user-agent']?.startsWith(beginning) ?? false;
}

/** Whether an SDK that Anthropic's generator made sent the request. */
export function hasStainlessHeaders(headers: IncomingHttpHeaders): boolean {
  return (
    headerOf(headers, 'x-stainless-lang') !== undefined &&
    headerOf(headers, 'x-stainless-package-version') !== undefined
  );
}
