import { describe, expect, test } from 'vitest';
import { createStage, eventsOf, keyOf, outline, script, toolOf } from './harness.ts';
import type { Stage } from './harness.ts';

const words = (count: number): string => 'word '.repeat(count);
const { signal } = new AbortController();

async function sentOutline(stage: Stage): Promise<readonly string[]> {
  return stage.bodies
    .at(-1)
    .messages.map(
      ({ role, content }: { role: string; content: { type: string }[] }) =>
        `${role} ${content.map(({ type }) => type).join(' ')}`,
    );
}

describe('compaction', () => {
  test('RL3: a conversation that fills 0.9 of the context goes on with a summary and its newest part', async () => {
    await using stage = await createStage({ contextTokens: 8_000 });
    const runtime = await stage.start({ tools: [toolOf('read', () => words(10))] });
    await runtime.play(`Keep this in mind. ${words(2_000)}`);
    expect(await stage.store.sessions.items(keyOf())).toHaveLength(2);
    const { events, result } = await runtime.play(
      `Now look. ${words(2_500)} ${script({ tool: 'read' }, { text: 'done' })}`,
    );
    expect(result).toMatchObject({ status: 'completed' });
    expect(eventsOf(events, 'compaction')).toMatchObject([{ reason: 'threshold' }]);
    const sent = JSON.stringify(stage.bodies.at(-1).messages);
    expect(sent).not.toContain('Keep this in mind');
    expect(sent).toContain('Now look');
    const last = stage.bodies.at(-1).messages;
    expect(last[0].content[0].text).toMatch(/replaced by this summary/);
    expect(outline(await stage.sessions.messages(keyOf()))[0]).toMatch(/Keep this in mind/);
  });

  test('RL3: by command all of it is replaced, and a later turn begins with the summary', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    await runtime.play(
      script({ thinking: 'a thought', tool: 'read' }, { text: 'one' }, { text: 'THE SUMMARY' }),
    );
    expect(await runtime.backend.compact(keyOf(), { signal })).toBe(true);
    expect(stage.bodies.at(-1).messages.at(-1).content.at(-1).text).toContain('summary of this conversation');
    expect(stage.bodies.at(-1).tools).toEqual(stage.bodies[0].tools);
    const { result } = await runtime.play('and now?');
    expect(result.status).toBe('completed');
    expect(await sentOutline(stage)).toEqual(['user text', 'user text']);
    expect(stage.bodies.at(-1).messages[0].content[0].text).toContain('THE SUMMARY');
    expect(await stage.sessions.messages(keyOf())).toHaveLength(6);
    await stage.reopen();
    await (await stage.start()).play('later');
    expect(stage.bodies.at(-1).messages.slice(0, 2).map(withoutMarks)).toEqual(
      stage.bodies.at(-2).messages.slice(0, 2).map(withoutMarks),
    );
  });

  test('RL3: what was summarised already is not summarised again by itself', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    await runtime.play('hello');
    expect(await runtime.backend.compact(keyOf(), { signal })).toBe(true);
    expect(await runtime.backend.compact(keyOf(), { signal })).toBe(false);
    await expect(runtime.backend.compact(keyOf('none'), { signal })).rejects.toMatchObject({
      code: 'RUNTIME_SESSION_MISSING',
    });
  });

  test('RL3: after an overflow room is made once, in the same turn, and the answer comes', async () => {
    await using stage = await createStage({ contextTokens: 8_000 });
    // The engine does not know the window, so that only the provider can say that it is full.
    const models = (id: string) => ({ ...stage.model(id), contextTokens: undefined });
    const runtime = await stage.start({ models, limits: { keptTokens: 500 } });
    await runtime.play(words(1_000));
    await runtime.play(words(1_000));
    await runtime.play(words(1_000));
    const { events, result } = await runtime.play(`One more. ${words(1_000)}`);
    expect(result.status).toBe('completed');
    expect(eventsOf(events, 'compaction')).toMatchObject([{ reason: 'overflow' }]);
    expect(stage.simulator.requests().map(({ status }) => status)).toEqual([200, 200, 200, 400, 200, 200]);
  });

  test('R1: an input that is too long by itself fails the turn', async () => {
    await using stage = await createStage({ contextTokens: 1_000 });
    const runtime = await stage.start();
    const { result } = await runtime.play(words(5_000));
    expect(result.error?.code).toBe('PROVIDER_CONTEXT_OVERFLOW');
    expect(stage.bodies).toHaveLength(1);
  });

  test('RL3: a summary that fails is a warning as long as the conversation still fits, and is not asked for again', async () => {
    await using stage = await createStage({ contextTokens: 8_000 });
    const runtime = await stage.start({
      tools: [toolOf('read', () => words(10))],
      limits: { compactAtShare: 0.2, keptTokens: 1 },
    });
    await runtime.play(`${words(1_000)} ${script({ text: 'one' }, { tool: 'read' })}`);
    const steps = Array.from({ length: 4 }, (_, index) => ({ tool: 'read', input: { index } }));
    const { events, result } = await runtime.play(script(...steps, { text: 'done' }));
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(eventsOf(events, 'error')).toMatchObject([{ code: 'RUNTIME_NO_SUMMARY', recoverable: true }]);
    expect(stage.bodies).toHaveLength(1 + 1 + 5);
  });

  test('RL3: totals never fall, and what the summary cost is in them', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    await runtime.play('hello');
    const before = (await stage.sessions.find(keyOf()))?.totals;
    await runtime.backend.compact(keyOf(), { signal });
    const after = (await stage.sessions.find(keyOf()))?.totals;
    expect(after?.inputTokens).toBeGreaterThan(before?.inputTokens ?? Infinity);
    expect(after?.costUsd).toBeCloseTo(stage.simulator.bill().totalUsd, 12);
  });

  test('RL3: the kept part begins with a whole step, and thoughts from before are gone', async () => {
    await using stage = await createStage({ contextTokens: 8_000 });
    const runtime = await stage.start({
      tools: [toolOf('read', () => words(600))],
      limits: { keptTokens: 1_600 },
    });
    const steps = Array.from({ length: 6 }, (_, index) => ({
      thinking: `thought ${index}`,
      text: `step ${index}`,
      tool: 'read',
      input: { index },
    }));
    const { events, result } = await runtime.play(`Look. ${script(...steps, { text: 'done' })}`);
    expect(eventsOf(events, 'compaction').length).toBeGreaterThan(0);
    expect(result.status).toBe('completed');
    expect(await sentOutline(stage)).toEqual([
      'user text',
      'assistant text tool_use',
      'user tool_result',
      'assistant text tool_use',
      'user tool_result',
    ]);
    expect(
      stage.simulator.requests().every(({ status, brokenBinding }) => status === 200 && !brokenBinding),
    ).toBe(true);
  });

  test('RL3: a model that writes no summary changes nothing', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    await runtime.play(script({ text: 'one' }, { tool: 'read' }));
    await expect(runtime.backend.compact(keyOf(), { signal })).rejects.toMatchObject({
      code: 'RUNTIME_NO_SUMMARY',
    });
    expect(await stage.store.sessions.items(keyOf())).toHaveLength(2);
    expect((await runtime.play('go on')).result.status).toBe('completed');
  });
});

/** Cache marks move along with the end of a conversation; they are no part of what is said. */
function withoutMarks(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message, (key, value) => (key === 'cache_control' ? undefined : value)));
}
