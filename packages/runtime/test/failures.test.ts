import { StoreError } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { agentOf, createStage, eventsOf, keyOf, modelId, outline, script, toolOf } from './harness.ts';
import type { StartOptions } from './harness.ts';

const other = 'claude-sonnet-5';
const withFallback: StartOptions = { agents: [agentOf('main', [], { fallbackModels: [other] })] };

describe('a model that fails', () => {
  test('R1: a rate limit that surfaces fails the turn and says so', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    const { events, result } = await runtime.play(
      script({ fault: 'status', status: 429, message: 'slow down' }),
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_RATE_LIMITED' } });
    expect(eventsOf(events, 'error')).toMatchObject([{ code: 'PROVIDER_RATE_LIMITED', recoverable: false }]);
    expect(stage.bodies).toHaveLength(1);
    const { errors } = await stage.sessions.transcript(keyOf());
    expect(errors).toMatchObject([{ code: 'PROVIDER_RATE_LIMITED' }]);
    expect((await runtime.play('again')).result.status).toBe('completed');
  });

  test('R1: the next model goes on in the same turn, with a warning, where nothing was shown', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ ...withFallback, tools: [toolOf('read')] });
    const { events, result } = await runtime.play(
      script({ fault: 'status', status: 529 }, { text: 'from the other' }),
    );
    expect(result.status).toBe('completed');
    expect(eventsOf(events, 'error')).toMatchObject([{ code: 'PROVIDER_OVERLOADED', recoverable: true }]);
    expect(stage.bodies.map(({ model }) => model)).toEqual([modelId, other]);
    await runtime.play('next turn');
    expect(stage.bodies.at(-1).model).toBe(other); // the one that failed rests for a minute
  });

  test('R1: no other model is asked once something was shown, and what was shown stays', async () => {
    await using stage = await createStage();
    const runtime = await stage.start(withFallback);
    const { events, result } = await runtime.play(
      script({ text: 'one two three four five six seven', fault: 'errevent' }),
    );
    expect(result.status).toBe('failed');
    const said = eventsOf(events, 'text-delta')
      .map(({ text }) => text)
      .join('');
    expect(said).not.toBe('');
    expect(new Set(stage.bodies.map(({ model }) => model))).toEqual(new Set([modelId]));
    expect(outline(await stage.sessions.messages(keyOf()))).toEqual([
      'user "@@"',
      `assistant ${JSON.stringify(said)}`,
    ]);
    expect((await runtime.play('again')).result.status).toBe('completed');
  });

  test('R1: a request that the provider does not take is no reason for another model', async () => {
    await using stage = await createStage();
    const runtime = await stage.start(withFallback);
    const { result } = await runtime.play(script({ fault: 'status', status: 400, message: 'no' }));
    expect(result.error?.code).toBe('PROVIDER_BAD_REQUEST');
    expect(stage.bodies).toHaveLength(1);
  });

  test('a model that is not there fails the start', async () => {
    await using stage = await createStage();
    const models = (id: string) => {
      if (id === other) throw new Error(`no model ${id}`);
      return stage.model(id);
    };
    await expect(stage.start({ ...withFallback, models })).rejects.toThrow(`no model ${other}`);
  });

  test('R3: an answer that was cut at its longest is a warning, and the turn completes', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ parameters: () => ({ maxOutputTokens: 4 }) });
    const { events, result } = await runtime.play(
      script({ text: 'far more words than four tokens can ever hold', stop: 'max_tokens' }),
    );
    expect(result.status).toBe('completed');
    expect(eventsOf(events, 'error')).toMatchObject([{ code: 'RUNTIME_ANSWER_CUT', recoverable: true }]);
  });
});

describe('ids of calls', () => {
  const call = (id: string, path: string) => ({ type: 'tool_use', id, name: 'ls', input: { path } });

  test('case 73: an id that is used again in a later turn is another call, under another id in call and result', async () => {
    await using stage = await createStage();
    const ran: unknown[] = [];
    const runtime = await stage.start({ tools: [toolOf('ls', (input) => (ran.push(input), 'listed'))] });
    await runtime.play(script({ blocks: [call('c1', 'a')] }, { text: 'one' }));
    await runtime.play(script({ blocks: [call('c1', 'b')] }, { text: 'two' }));
    expect(ran).toEqual([{ path: 'a' }, { path: 'b' }]);
    const messages = await stage.sessions.messages(keyOf());
    expect(outline(messages).filter((line) => /ls|tool/.test(line))).toEqual([
      'assistant ls(c1)',
      'tool c1:completed',
      'assistant ls(c1_2)',
      'tool c1_2:completed',
    ]);
    expect(JSON.stringify(stage.bodies.at(-1))).toContain('"tool_use_id":"c1_2"');
  });

  test('case 73: a true duplicate in one answer runs once; the same id with another input is another call', async () => {
    await using stage = await createStage();
    const ran: unknown[] = [];
    const runtime = await stage.start({ tools: [toolOf('ls', (input) => (ran.push(input), 'listed'))] });
    const blocks = [call('c1', 'a'), call('c1', 'a'), call('c1', 'b')];
    const { result } = await runtime.play(script({ blocks }, { text: 'done' }));
    expect(result.status).toBe('completed');
    expect(ran).toEqual([{ path: 'a' }, { path: 'b' }]);
    expect(outline(await stage.sessions.messages(keyOf()))[2]).toBe('tool c1:completed c1_2:completed');
  });
});

test('R2: a store that fails in the middle of a turn fails it, with what was spent until then', async () => {
  await using stage = await createStage();
  const full = new StoreError('STORE_FULL', 'no space left');
  const { sessions, ...rest } = stage.store;
  let isFull = false;
  const append: typeof sessions.append = async (...args) => {
    if (isFull) throw full;
    return await sessions.append(...args);
  };
  const runtime = await stage.start({
    store: { ...rest, sessions: { ...sessions, append } },
    tools: [toolOf('fill', () => (isFull = true))],
  });
  const { events, result } = await runtime.play(script({ tool: 'fill' }, { text: 'done' }));
  expect(result).toMatchObject({ status: 'failed', error: { code: 'STORE_FULL' } });
  expect(result.usage.outputTokens).toBeGreaterThan(0);
  expect(eventsOf(events, 'error')).toMatchObject([{ code: 'STORE_FULL', recoverable: false }]);
  isFull = false;
  expect((await runtime.play('again')).result.status).toBe('completed');
});
