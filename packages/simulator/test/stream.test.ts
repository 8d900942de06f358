import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { baseHeaders, bm25, eventsOf, requestOf, script, startSimulator, tool, user } from './harness.ts';
import type { Loose, Running } from './harness.ts';

/** What a client makes of a stream: blocks from their starts and deltas, usage from the last value of each field. */
function reassemble(text: string): Loose {
  let message: Loose = {};
  const json: string[] = [];
  for (const { data } of eventsOf(text)) {
    const { index, delta } = data;
    if (data.type === 'message_start') message = structuredClone(data.message);
    else if (data.type === 'content_block_start') {
      expect(index).toBe(message.content.length);
      message.content.push(data.content_block);
      json[index] = '';
    } else if (data.type === 'content_block_delta') {
      const block = message.content[index];
      if (delta.type === 'text_delta') block.text += delta.text;
      if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
      if (delta.type === 'signature_delta') block.signature += delta.signature;
      if (delta.type === 'input_json_delta') json[index] += delta.partial_json;
    } else if (data.type === 'content_block_stop') {
      const block = message.content[index];
      if (block.input !== undefined) block.input = JSON.parse(json[index] || '{}');
    } else if (data.type === 'message_delta') {
      message = { ...message, ...delta, usage: { ...message.usage, ...data.usage } };
    }
  }
  return message;
}

const richStep = {
  thinking: 'Grüße 🙂 und mehr',
  text: 'Ein längerer Text mit Umlauten und 👩‍👩‍👧‍👦 zum Zerschneiden.',
  tools: [{ tool: 'late', input: { schlüssel: 'größe 🙂', n: [1, 2, { deep: true }] } }, { tool: 'plain' }],
};
const rich = requestOf({
  tools: [tool('plain'), tool('late', { defer_loading: true }), bm25],
  thinking: { type: 'adaptive' },
  messages: [user(script(richStep))],
});

/** Both forms of the same reply, ids made equal by two simulators that count alike. */
async function bothForms(headers: Record<string, string>): Promise<readonly [Loose, string]> {
  await using plain = await startSimulator();
  await using streaming = await startSimulator();
  const whole = await plain.send(rich);
  const stream = await streaming.send({ ...rich, stream: true }, headers);
  return [whole.json, stream.text];
}

describe('a stream (rule 15, §1.7)', () => {
  test.each(['records', 'bytes', 'split-utf8', 'slow', 'one'])(
    'put together it is the JSON reply, chunking "%s"',
    async (chunking) => {
      const [whole, text] = await bothForms({ 'x-simulator-chunking': chunking });
      expect(reassemble(text)).toEqual(whole);
    },
  );

  test('its events stand in order, a ping among them', async () => {
    const [, text] = await bothForms({});
    const events = eventsOf(text);
    const names = events.map((event) => event.event);
    expect(names.slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start']);
    expect(names.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(events.every((event) => event.event === event.data.type)).toBe(true);
  });

  test('a search result comes whole with its start; an input starts empty and its first piece is ""', async () => {
    const [, text] = await bothForms({});
    const events = eventsOf(text).map((event) => event.data);
    const result = events.findIndex((data) => data.content_block?.type === 'tool_search_tool_result');
    expect(events[result].content_block.content.tool_references).toHaveLength(1);
    expect(events[result + 1].type).toBe('content_block_stop');
    const call = events.findIndex((data) => data.content_block?.type === 'server_tool_use');
    expect(events[call].content_block.input).toEqual({});
    expect(events[call + 1].delta).toEqual({ type: 'input_json_delta', partial_json: '' });
    const bare = events.findIndex((data) => data.content_block?.name === 'plain');
    expect(events.slice(bare + 1, bare + 3).map((data) => data.delta?.partial_json ?? data.type)).toEqual([
      '',
      'content_block_stop',
    ]);
  });

  test('no event cuts a character in two', async () => {
    await using running = await startSimulator();
    const step = { text: '🙂'.repeat(40), tool: 'plain', input: { a: '🙂'.repeat(40), bb: '🙂'.repeat(40) } };
    const body = requestOf({ tools: [tool('plain')], stream: true, messages: [user(script(step))] });
    const deltas = eventsOf((await running.send(body)).text).flatMap(({ data }) => data.delta ?? []);
    const pieces: string[] = deltas.map((delta: Loose) => delta.text ?? delta.partial_json ?? '');
    expect(pieces.length).toBeGreaterThan(8);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test('usage begins with the first sampling and ends with the sum', async () => {
    const [whole, text] = await bothForms({});
    const events = eventsOf(text);
    const start = events[0]?.data.message.usage;
    expect(start.output_tokens).toBe(1);
    expect(start.input_tokens).toBe(whole.usage.iterations[0].input_tokens);
    const { cache_creation: _, service_tier: __, inference_geo: ___, speed: ____, ...sums } = whole.usage;
    expect(events.at(-2)?.data.usage).toEqual(sums);
    expect(start).toMatchObject({ service_tier: 'standard', inference_geo: 'global', speed: 'standard' });
    expect(whole.usage.input_tokens).toBeGreaterThan(start.input_tokens);
  });
});

/** Sends the request by hand and answers the sizes of the HTTP chunks that came back. */
async function chunkSizes(running: Running, chunking: string): Promise<readonly number[]> {
  const body = JSON.stringify({ ...rich, stream: true });
  const headers = {
    ...baseHeaders,
    'x-simulator-chunking': chunking,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  };
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n${body}`);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  const raw = Buffer.concat(parts);
  const sizes: number[] = [];
  for (let at = raw.indexOf('\r\n\r\n') + 4; at < raw.length;) {
    const end = raw.indexOf('\r\n', at);
    const size = Number.parseInt(raw.toString('latin1', at, end), 16);
    if (size === 0) break;
    sizes.push(size);
    at = end + 2 + size + 2;
  }
  return sizes;
}

describe('hostile chunking', () => {
  test('bytes: a byte a chunk; one: all in one chunk', async () => {
    await using running = await startSimulator();
    const bytes = await chunkSizes(running, 'bytes');
    expect(new Set(bytes)).toEqual(new Set([1]));
    const [one, ...more] = await chunkSizes(running, 'one');
    expect(more).toEqual([]);
    expect(Math.abs((one ?? 0) - bytes.length)).toBeLessThan(10);
  });

  test('split-utf8: chunks end within characters', async () => {
    await using running = await startSimulator();
    const reply = await running.send({ ...rich, stream: true });
    const characters = [...reply.text].filter((character) => Buffer.byteLength(character) > 1).length;
    expect(characters).toBeGreaterThan(10);
    expect(await chunkSizes(running, 'split-utf8')).toHaveLength(characters + 1);
  });

  test('a reply larger than any buffer arrives whole at a slow reader', async () => {
    await using running = await startSimulator();
    const step = { text: 'größer '.repeat(100_000) };
    const messages = [user(script(step))];
    const reply = await fetch(`${running.url}/v1/messages`, {
      method: 'POST',
      headers: baseHeaders,
      body: JSON.stringify(requestOf({ stream: true, messages })),
    });
    const parts: Uint8Array[] = [];
    for await (const part of reply.body ?? []) parts.push(part);
    expect(reassemble(Buffer.concat(parts).toString()).content).toEqual([{ type: 'text', text: step.text }]);
  });
});
