import http from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly body?: Buffer | string;
}

/** One request with nothing added, decoded or followed; rejects when the answer is cut. */
export function send(
  url: URL,
  { method = 'POST', headers = {}, body = '' }: RawRequest = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const isList = Array.isArray(headers);
    const request = http.request(url, {
      method,
      agent: false,
      headers: isList ? ['Host', url.host, ...headers] : { ...(headers as Record<string, string>) },
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          rawHeaders: response.rawHeaders,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.end(body);
  });
}
