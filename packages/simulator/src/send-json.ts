import type { ServerResponse } from 'node:http';
import type { JsonObject } from './json.ts';

/** Answers with JSON; the status and headers are the caller's. */
export function sendJson(
  response: ServerResponse,
  body: JsonObject,
  { status, headers = {} }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
