import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { assistant, baseHeaders, bm25, requestOf, startSimulator, tool, user } from './harness.ts';
import type { Loose } from './harness.ts';

describe('the routes', () => {
  test('the query is ignored', async () => {
    await using running = await startSimulator();
    expect((await running.send(requestOf(), {}, '/v1/messages?beta=true&x=%2F')).status).toBe(200);
    expect(running.last().path).toBe('/v1/messages');
  });

  test('models are listed and found; there are no others', async () => {
    await using running = await startSimulator();
    const list: Loose = await (await fetch(`${running.url}/v1/models?limit=1000`)).json();
    expect(list.data[0]).toMatchObject({ type: 'model', id: 'claude-fable-5-2' });
    expect(list.data.every((model: Loose) => model.id.startsWith('claude-'))).toBe(true);
    expect((await fetch(`${running.url}/v1/models/claude-opus-5-5`)).status).toBe(200);
    expect((await fetch(`${running.url}/v1/models/claude-nope`)).status).toBe(404);
    expect((await fetch(`${running.url}/v1/models/gpt-5.5`)).status).toBe(404);
  });

  test("a listing's pages follow one another", async () => {
    await using running = await startSimulator();
    const page = async (query: string): Promise<Loose> =>
      (await fetch(`${running.url}/v1/models${query}`)).json();
    const first = await page('?limit=2');
    expect(first).toMatchObject({ has_more: true, last_id: first.data[1].id });
    const second = await page(`?limit=2&after_id=${first.last_id}`);
    expect(second.data[0].id).not.toBe(first.data[1].id);
    expect(second.first_id).toBe(second.data[0].id);
  });

  test('a bearer token without a version asks for the models of OpenAI', async () => {
    await using running = await startSimulator();
    const list = async (headers: Record<string, string>): Promise<Loose> =>
      (await fetch(`${running.url}/v1/models`, { headers })).json();
    const listed = await list({ authorization: 'Bearer key' });
    expect(listed.object).toBe('list');
    expect(listed.data.every((model: Loose) => model.id.startsWith('gpt-') && model.object === 'model')).toBe(
      true,
    );
    const headers = { authorization: 'Bearer key' };
    const one = await fetch(`${running.url}/v1/models/gpt-5.5`, { headers });
    expect(await one.json()).toMatchObject({ id: 'gpt-5.5', object: 'model' });
    const none = await fetch(`${running.url}/v1/models/claude-opus-5-5`, { headers });
    expect(await none.json()).toMatchObject({ error: { code: 'model_not_found' } });
    const versioned = await list({ authorization: 'Bearer key', 'anthropic-version': '2023-06-01' });
    expect(versioned.data[0].id).toMatch(/^claude-/);
  });

  test('the models of Gemini are listed page by page, to who has a key', async () => {
    await using running = await startSimulator();
    const list = async (query: string): Promise<Loose> =>
      (await fetch(`${running.url}/v1beta/models${query}`)).json();
    expect((await list('')).error.status).toBe('PERMISSION_DENIED');
    const first = await list('?key=k&pageSize=2');
    expect(first.models).toHaveLength(2);
    const rest = await list(`?key=k&pageSize=2&pageToken=${first.nextPageToken}`);
    expect(rest.models[0].name).toMatch(/^models\/gemini-/);
    expect(rest.nextPageToken).toBeUndefined();
  });

  test('Gemini is spoken to in either version, and its models are told to who sends its key', async () => {
    await using running = await startSimulator();
    const headers = { 'x-goog-api-key': 'k', 'content-type': 'application/json' };
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] });
    const ask = async (path: string): Promise<Loose> =>
      (await fetch(`${running.url}${path}`, { method: 'POST', headers, body })).json();
    for (const version of ['v1', 'v1beta']) {
      const answer = await ask(`/${version}/models/gemini-3.8-flash:generateContent`);
      expect(answer.candidates[0].finishReason).toBe('STOP');
      const nobody = await ask(`/${version}/models/gemini-nope:generateContent`);
      expect(nobody.error.message).toContain(`not found for API version ${version},`);
    }
    const listed: Loose = await (await fetch(`${running.url}/v1/models`, { headers })).json();
    expect(listed.models[0].name).toMatch(/^models\/gemini-/);
  });

  test('a WebSocket is refused with 426', async () => {
    await using running = await startSimulator();
    const upgrade = request(`${running.url}/v1/responses`, {
      headers: { connection: 'upgrade', upgrade: 'websocket' },
    });
    upgrade.end();
    const [response]: Loose[] = await once(upgrade, 'response');
    response.resume();
    expect(response.statusCode).toBe(426);
  });

  test('hello answers HEAD and GET', async () => {
    await using running = await startSimulator();
    for (const method of ['HEAD', 'GET'])
      expect((await fetch(`${running.url}/api/hello`, { method })).status).toBe(200);
  });

  test.each([
    ['GET', '/v1/messages'],
    ['POST', '/v1/complete'],
    ['GET', '/'],
  ])('%s %s is a 404 in the envelope of the API', async (method, path) => {
    await using running = await startSimulator();
    const reply = await fetch(running.url + path, { method });
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  test('the record and the bill are served, and reset', async () => {
    await using running = await startSimulator();
    await running.send(requestOf());
    const read = async (): Promise<Loose> => (await fetch(`${running.url}/_simulator/requests`)).json();
    expect(await read()).toEqual({ requests: running.simulator.requests(), bill: running.simulator.bill() });
    expect((await read()).requests).toHaveLength(1);
    await fetch(`${running.url}/_simulator/reset`, { method: 'POST' });
    expect((await read()).requests).toEqual([]);
  });
});

describe('the headers', () => {
  const send = async (headers: Record<string, string>): Promise<Loose> => {
    await using running = await startSimulator();
    const reply = await fetch(`${running.url}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify(requestOf()),
    });
    return { status: reply.status, ...((await reply.json()) as Loose) };
  };
  const version = { 'anthropic-version': '2023-06-01' };

  test('no credential is a 401', async () => {
    expect(await send(version)).toMatchObject({ status: 401, error: { type: 'authentication_error' } });
  });

  test('a bearer is one; an OAuth token needs its beta', async () => {
    expect(await send({ ...version, authorization: 'Bearer any' })).toMatchObject({ status: 200 });
    const oauth = { ...version, authorization: 'Bearer sk-ant-oat01-x' };
    expect(await send(oauth)).toMatchObject({ status: 401 });
    expect(await send({ ...oauth, 'anthropic-beta': 'oauth-2025-04-20' })).toMatchObject({ status: 200 });
  });

  test('no version is a 400', async () => {
    expect(await send({ 'x-api-key': 'k' })).toMatchObject({
      status: 400,
      error: { message: 'anthropic-version: header is required' },
    });
  });
});

describe('a compressed body', () => {
  const plain = Buffer.from(JSON.stringify(requestOf()));
  test.each([
    ['gzip', gzipSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['deflate', deflateSync(plain)],
  ])('%s is read, and handed on decoded', async (encoding, body) => {
    const seen: Buffer[] = [];
    await using running = await startSimulator({ onRequest: (_, bytes) => void seen.push(bytes) });
    const headers = { ...baseHeaders, 'content-encoding': encoding };
    expect((await fetch(`${running.url}/v1/messages`, { method: 'POST', headers, body })).status).toBe(200);
    expect(seen).toEqual([plain]);
  });

  test.each([
    ['gzip', 'request_body_encoding_invalid'],
    ['martian', 'request_body_encoding_unsupported'],
  ])('%s that is none is a 400', async (encoding, code) => {
    await using running = await startSimulator();
    const reply = await running.send(requestOf(), { 'content-encoding': encoding });
    expect([reply.status, reply.json.error.details.error_code]).toEqual([400, code]);
  });

  test('one that grows beyond the limit is a 413, as is a plain one', async () => {
    await using running = await startSimulator();
    const headers = { ...baseHeaders, 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(33_000_000, ' '));
    expect((await fetch(`${running.url}/v1/messages`, { method: 'POST', headers, body: bomb })).status).toBe(
      413,
    );
    const reply = await running.send(' '.repeat(32_000_001));
    expect(reply.json.error.type).toBe('request_too_large');
  });
});

describe('the record of a request', () => {
  const tools = [tool('a'), tool('b', { defer_loading: true }), bm25];

  test('holds who asked for what, and no word of the prompt', async () => {
    await using running = await startSimulator();
    const body = requestOf({ tools, system: 'topsecret', messages: [user('topsecret')], stream: true });
    await running.send(body, { 'x-claude-code-session-id': 's1', 'x-claude-code-agent-id': 'a1' });
    expect(running.last()).toMatchObject({
      index: 0,
      atMs: 1_800_000_000_000,
      method: 'POST',
      path: '/v1/messages',
      status: 200,
      error: null,
      model: 'claude-opus-5-5',
      session: 's1',
      agent: 'a1',
      stream: true,
      toolsDeclared: ['a', 'b', 'tool_search_tool_bm25'],
      toolsDeferred: ['b'],
      toolsSha256: createHash('sha256').update(JSON.stringify(tools)).digest('hex'),
      brokenBinding: false,
    });
    expect(JSON.stringify(running.last())).not.toContain('topsecret');
    expect(running.last().prefixTokens).toBeGreaterThan(0);
  });

  test('the hashes of a later turn begin with those of an earlier one', async () => {
    await using running = await startSimulator();
    const opening = [user('x')];
    await running.send(requestOf({ tools, system: 's', messages: opening }));
    const before = running.last();
    await running.send(requestOf({ tools, system: 's', messages: [...opening, assistant('y'), user('z')] }));
    const after = running.last();
    expect(before.renderedPrefixHashes).toHaveLength(5);
    expect(after.renderedPrefixHashes.slice(0, 5)).toEqual(before.renderedPrefixHashes);
    expect(after.prefixTokens).toBe(before.prefixTokens);
    await running.send(requestOf({ tools, system: 't', messages: opening }));
    expect(running.last().renderedPrefixHashes.slice(0, 3)).toEqual(before.renderedPrefixHashes.slice(0, 3));
    expect(running.last().renderedPrefixHashes[3]).not.toBe(before.renderedPrefixHashes[3]);
  });

  test('onRequest gets it with the bytes as they came', async () => {
    const seen: Loose[] = [];
    await using running = await startSimulator({
      onRequest: (record, body) => void seen.push([record, body.toString()]),
    });
    const written = ` ${JSON.stringify(requestOf(), null, 2)}\n`;
    await running.send(written);
    expect(seen).toEqual([[running.last(), written]]);
  });
});
