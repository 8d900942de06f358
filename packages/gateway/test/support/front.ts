import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { send } from './raw-http.ts';
import { startServer } from './server.ts';

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An upstream that stands before another and answers some requests itself. */
export interface Front extends AsyncDisposable {
  readonly url: URL;
  /** Everything that came, the gateway's own checks left out. */
  readonly seen: readonly SeenRequest[];
  /** Answers a request in place of what stands behind; `undefined` lets it through. Replaced at will. */
  intercept: ((seen: SeenRequest) => ((response: ServerResponse) => void) | undefined) | undefined;
}

export async function startFront(behind: URL): Promise<Front> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    void readWhole(request).then(async (body) => {
      const { url = '/', rawHeaders, headers } = request;
      const came = { url, rawHeaders, headers, body };
      const isCheck = body.includes('quartermaster_check_');
      if (!isCheck) seen.push(came);
      const answer = isCheck ? undefined : front.intercept?.(came);
      if (answer !== undefined) return answer(response);
      const passed = await send(new URL(url, behind), { headers: withoutHost(rawHeaders), body });
      response.writeHead(passed.status, [...passed.rawHeaders]).end(passed.body);
    });
  };
  const running = await startServer(listener);
  const front: Front = {
    url: running.url,
    seen,
    intercept: undefined,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
  return front;
}

/** Answers with a body of any kind. */
export function answerWith(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}

async function readWhole(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function withoutHost(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'host');
}
