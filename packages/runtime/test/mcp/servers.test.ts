import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { readToolResult } from '../../src/toolsets/mcp/tool-result.ts';
import { createBench, program } from './bench.ts';

describe('real servers of both eras', () => {
  test.each([
    ['the newer one alone', program('new-era', '--new-only'), '2026-07-28'],
    ['both', program('new-era'), '2026-07-28'],
    ['the older one', program('old-era'), '2025-11-25'],
    ['the older one, and ends at any other question', program('hostile', 'exit-on-question'), '2025-11-25'],
  ])('RT2: a program that speaks %s', async (_, config, protocolVersion) => {
    await using bench = createBench(config);
    await bench.start();
    expect(bench.toolset.status()).toMatchObject({ state: 'ready', protocolVersion });
    const [name = ''] = bench.names();
    expect(await bench.call(name, { text: 'hello' })).toEqual({
      type: 'completed',
      output: expect.stringContaining('hello'),
    });
  });

  test.each(['new-era', 'old-era'])('RT2: %s: a tool that comes in mid-session is there', async (file) => {
    await using bench = createBench(program(file));
    await bench.start();
    const before = bench.toolset.tools();
    expect(await bench.call('grow')).toMatchObject({ type: 'completed' });
    await bench.until(() => bench.names().includes('grown'));
    expect(bench.toolset.tools().slice(0, before.length)).toEqual(before);
    expect(await bench.call('grown')).toEqual({ type: 'completed', output: 'grown' });
  });
});

test('RT2: a start does not wait for a server, and its tools come when it is ready', async () => {
  await using bench = createBench({ ...program('new-era'), startup: 'lazy' });
  await bench.start();
  expect(bench.toolset.status()).toMatchObject({ state: 'starting', tools: { offered: 0 } });
  expect(bench.toolset.tools()).toEqual([]);
  await bench.untilState('ready');
  expect(bench.names()).toContain('echo');
});

describe('case 139: a program gets what is declared and nothing more', () => {
  const env = { ANTHROPIC_API_KEY: 'canary-1', TOKEN: 'for-it', PATH: process.env['PATH'] };
  const host = { environment: env, nodePath: process.execPath, killGroup: () => undefined };

  test.each([
    [undefined, {}],
    [['TOKEN'], { TOKEN: 'for-it' }],
    [
      { KEY: 'Bearer ${TOKEN}', MODE: 'plain' },
      { KEY: 'Bearer for-it', MODE: 'plain' },
    ],
  ])('env: %j', async (declared, expected) => {
    const config = { ...program('hostile', 'environment'), ...(declared && { env: declared }) };
    await using bench = createBench(config, { env, host });
    await bench.start();
    const outcome = await bench.call('act');
    const seen = JSON.parse(outcome.type === 'completed' ? String(outcome.output) : '{}');
    expect(seen).toMatchObject(expected);
    expect(Object.keys(seen).toSorted()).toEqual([...Object.keys(expected), 'PATH'].toSorted());
  });

  test('case 113: a variable that is unset stops the start, and is named', () => {
    expect(() => createBench({ ...program('new-era'), env: { A: '${NOPE}' } }, { env })).toThrow('NOPE');
  });
});

describe('results', () => {
  const text = (said: string) => ({ type: 'text' as const, text: said });

  test.each([
    ['as JSON', [text('{"n": 1}')], { n: 1 }, '{"n": 1}'],
    ['as its one text', [text('hello')], { content: 'hello' }, 'hello'],
    ['not at all', [text('one')], { n: 1 }, 'one\n\n{"n":1}'],
    ['alone', [], { n: 1 }, '{"n":1}'],
  ])('a structured result that the text says %s is given once', (_, content, structuredContent, read) => {
    expect(readToolResult({ content, structuredContent })).toBe(read);
  });

  test('resources are given by their texts, and named where they have none', () => {
    const resource = { uri: 'file:///a', blob: 'aGVsbG8=' };
    expect(
      readToolResult({
        content: [
          { type: 'resource', resource: { uri: 'file:///a', text: 'its text' } },
          { type: 'resource', resource },
          { type: 'resource_link', uri: 'file:///b', name: 'b' },
        ],
      }),
    ).toBe(
      '[resource file:///a]\nits text\n\n[resource file:///a, 5 bytes: not shown]\n\n[resource b: file:///b]',
    );
  });

  test('an image is noted, a structured result is JSON, and an error is a failed call', async () => {
    await using bench = createBench(program('new-era'));
    await bench.start();
    expect(await bench.call('picture')).toEqual({
      type: 'completed',
      output: '[image, image/png, 5 bytes: not shown]\n\n{"width":5}',
    });
    expect(await bench.call('fail')).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining('No such file.') },
    });
  });

  test.each([
    ['new-era', 'person', 'asks a person'],
    ['old-era', 'ask', 'not support form elicitation'],
    ['hostile', 'act', 'asks a person'],
  ])('%s: a call that needs a person fails and says so; nobody is waited for', async (file, tool, said) => {
    await using bench = createBench(program(file, 'asks-anyway'));
    await bench.start();
    const outcome = await bench.call(tool);
    expect(outcome).toMatchObject({ type: 'failed', error: { message: expect.stringContaining(said) } });
    expect(bench.toolset.status().state).toBe('ready');
  });

  test('arguments of 200 kB arrive whole (case 123)', async () => {
    await using bench = createBench(program('hostile'));
    await bench.start();
    const input = { text: 'ä'.repeat(100_000) };
    expect(await bench.call('act', input)).toEqual({ type: 'completed', output: JSON.stringify(input) });
  });
});
