import { expect, test } from 'vitest';
import { startGateway } from './support/gateway.ts';
import { send } from './support/raw-http.ts';
import { startServer } from './support/server.ts';

test('a body over the limit that declares no length is a 413 as well', async () => {
  await using upstream = await startServer((_request, response) => response.end());
  await using gateway = await startGateway(upstream.url, {
    preset: 'ultrahigh',
    limits: { bodyBytes: 1_000 },
  });
  const answer = await send(new URL('/anthropic/v1/messages', gateway.url), {
    headers: { 'transfer-encoding': 'chunked' },
    body: 'x'.repeat(1_001),
  });
  expect(answer.status).toBe(413);
  expect(answer.headers.connection).toBe('close');
});
