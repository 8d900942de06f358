import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { decodeBody } from '../http/encoding.ts';
import type { Upstream } from '../http/upstream.ts';

/** Whose credential a check uses, for this one request (CH5). */
export interface CheckCaller {
  readonly upstream: Upstream;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
}

const timeoutMs = 60_000;
const maxAnswerBytes = 256 * 1024;

/** Sends a check with the caller's own credential. `undefined`: no whole answer came, for whatever reason (CH2). */
export function sendQuestion(
  { upstream, headers, path }: CheckCaller,
  body: string,
): Promise<{ readonly status: number; readonly body: string } | undefined> {
  return new Promise((resolve) => {
    const request = upstream.open({
      method: 'POST',
      path,
      headers: headersFor(upstream.host, headers, body),
    });
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    const finish = (answer: { status: number; body: string } | undefined): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    request.once('error', () => finish(undefined));
    request.once('response', (response) => {
      readAnswer(response).then(
        (text) => finish({ status: response.statusCode ?? 0, body: text }),
        () => {
          request.destroy();
          finish(undefined);
        },
      );
    });
    request.end(body);
  });
}

/** CH5: the caller's credential and what makes it valid; its other betas would test something else. */
function headersFor(host: string, headers: IncomingHttpHeaders, body: string): string[] {
  const raw = ['Host', host, 'Content-Type', 'application/json', 'Accept', 'application/json'];
  for (const name of ['x-api-key', 'authorization', 'anthropic-version'] as const) {
    const value = headers[name];
    if (typeof value === 'string') raw.push(name, value);
  }
  const betas = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
  const oauth = betas.map((beta) => beta.trim()).filter((beta) => beta.startsWith('oauth-'));
  if (oauth.length > 0) raw.push('anthropic-beta', oauth.join(','));
  return [...raw, 'Content-Length', String(Buffer.byteLength(body))];
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const body: AsyncIterable<Buffer> = response;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxAnswerBytes) throw new RangeError(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const decoded = await decodeBody(
    Buffer.concat(chunks),
    response.headers['content-encoding'],
    maxAnswerBytes,
  );
  if (decoded.type === 'refused') throw new TypeError(`the answer is ${decoded.reason}`);
  return decoded.body.toString('utf8');
}
