import type { TurnEvent, TurnRequest, TurnResult } from '@quartermaster/agent/turns';
import { addUsage, noUsage } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { explore, passTicks } from '../schedule/explore.ts';
import { cancelled, createScriptedBackend, createTestManager, end, event, said } from './scripted-backend.ts';
import type { Script } from './scripted-backend.ts';

const usage = { inputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7, costUsd: 0.5 };
const model = { provider: 'anthropic', id: 'claude' };

/** Runs one turn of `script`; what was shown, and what came of it. */
async function run(turn: NonNullable<Script['turn']>, signal?: AbortSignal) {
  const script = createScriptedBackend({ turn });
  const shown: TurnEvent[] = [];
  const onEvent = (one: TurnEvent): void => void shown.push(one);
  const manager = createTestManager(script);
  const result = await manager.process(said('hello'), {
    onEvent,
    ...(signal === undefined ? {} : { signal }),
  });
  return { result, shown, types: shown.map(({ type }) => type), log: script.log, breaches: script.breaches };
}

const fatal = (request: TurnRequest): TurnEvent =>
  event(request, { type: 'error', code: 'PROVIDER_RATE_LIMIT', message: 'slow down', recoverable: false });
const warning = (request: TurnRequest): TurnEvent =>
  event(request, { type: 'error', code: 'MCP_DOWN', message: 'a server is away', recoverable: true });

describe('R1: no replay', () => {
  const failures: readonly (readonly [string, NonNullable<Script['turn']>])[] = [
    [
      'fails by a rate limit',
      async function* (request) {
        yield fatal(request);
        yield end(request, { status: 'failed' });
      },
    ],
    [
      'throws before its first event',
      // oxlint-disable-next-line require-yield -- it is what is tested
      async function* () {
        throw new Error('broken');
      },
    ],
    [
      'throws midway',
      async function* (request) {
        yield event(request, { type: 'text-delta', text: 'half' });
        throw new Error('broken');
      },
    ],
    ['ends at once', async function* () {}],
  ];

  test.each(failures)('R1: the source of a turn that %s is invoked exactly once', async (_, turn) => {
    const { result, log } = await run(turn);
    expect(result.status).toBe('failed');
    expect(log.filter((line) => line.startsWith('turn'))).toEqual(['turn hello on 1']);
  });

  test('R1: a rate limit fails the turn and says so', async () => {
    const { result } = await run(async function* (request) {
      yield fatal(request);
      yield end(request, { status: 'failed' });
    });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'PROVIDER_RATE_LIMIT', message: 'slow down' },
    });
  });
});

describe('R2: turn results', () => {
  test('R2: a turn that completes says so, with its text and its usage', async () => {
    const { result, types } = await run(async function* (request) {
      yield event(request, { type: 'turn-start', messageId: 'm1' });
      yield event(request, { type: 'usage', model, usage });
      yield end(request, { text: 'hi', usage });
    });
    expect(result).toEqual({ status: 'completed', text: 'hi', usage });
    expect(types).toEqual(['turn-start', 'usage', 'turn-end']);
  });

  test('R2: without an end the usage is that of the answers, of sub-agents too', async () => {
    const { result } = await run(async function* (request) {
      yield event(request, { type: 'usage', model, usage });
      yield {
        ...event(request, { type: 'usage', model, usage }),
        session: { ...request.session, session: 'sub' },
      };
      throw new Error('broken');
    });
    expect(result).toEqual({
      status: 'failed',
      text: '',
      usage: { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 14, costUsd: 1 },
      error: { code: 'TURN_FAILED', message: 'broken' },
    });
  });

  test('R2: what one answer does not tell, the sum does not tell', () => {
    const unpriced = { ...usage, costUsd: undefined };
    expect(addUsage(usage, unpriced)).toEqual({ ...addUsage(usage, usage), costUsd: undefined });
    expect(addUsage(noUsage, unpriced)).toEqual(unpriced);
  });

  test('R2: a backend that can not be made ready is unavailable, and nothing is shown', async () => {
    const shown: TurnEvent[] = [];
    const error = Object.assign(new Error('no such model'), { code: 'MODEL_UNKNOWN' });
    const script = createScriptedBackend({ start: () => Promise.reject(error) });
    const result = await createTestManager(script).process(said('hello'), {
      onEvent: (one) => void shown.push(one),
    });
    expect(result).toEqual({
      status: 'unavailable',
      text: '',
      usage: noUsage,
      error: { code: 'MODEL_UNKNOWN', message: 'no such model' },
    });
    expect(shown).toEqual([]);
  });

  test.each([
    ['ends without turn-end', []],
    ['goes on after turn-end', [end, warning]],
    ['ends twice', [end, end]],
  ])('R2: a stream that %s has failed', async (_, events) => {
    const { result, types, breaches } = await run(async function* (request) {
      yield event(request, { type: 'turn-start', messageId: 'm1' });
      for (const make of events) yield make(request);
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TURN_BAD_STREAM' } });
    expect(types).toEqual(['turn-start', 'turn-end']);
    expect(breaches).toEqual([]);
  });

  test('R2: a stream that throws after turn-end has failed, and what is shown last says so', async () => {
    const { result, shown } = await run(async function* (request) {
      yield end(request, { usage });
      throw new Error('the history could not be stored');
    });
    const failed: TurnResult = {
      status: 'failed',
      text: 'hello',
      usage,
      error: { code: 'TURN_FAILED', message: 'the history could not be stored' },
    };
    expect(result).toEqual(failed);
    expect(shown).toMatchObject([{ type: 'turn-end', result: failed }]);
  });

  test('R2: a source that throws when it is invoked has failed', async () => {
    const { result } = await run(() => {
      throw new Error('broken');
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TURN_FAILED', message: 'broken' } });
  });

  test('R2: the end of a sub-agent is an event like others', async () => {
    const { result, types } = await run(async function* (request) {
      yield { ...end(request, { text: 'sub' }), session: { ...request.session, session: 'sub' } };
      yield event(request, { type: 'text-delta', text: 'hi' });
      yield end(request, { text: 'root' });
    });
    expect(result).toMatchObject({ status: 'completed', text: 'root' });
    expect(types).toEqual(['turn-end', 'text-delta', 'turn-end']);
  });

  test('R2: turn-end is shown after the engine has let go, and tells what process returns', async () => {
    await explore(async (stage) => {
      let hasLetGo = false;
      const script = createScriptedBackend({
        turn: async function* (request) {
          try {
            yield end(request);
          } finally {
            await stage.gate('let go');
            hasLetGo = true;
          }
        },
      });
      const ends: unknown[] = [];
      const onEvent = (one: TurnEvent): void => {
        expect(hasLetGo).toBe(true);
        if (one.type === 'turn-end') ends.push(one.result);
      };
      const result = await createTestManager(script).process(said('one'), { onEvent });
      expect(ends).toEqual([result]);
    });
  });
});

describe('R3: error events', () => {
  test('R3: a recoverable one is shown as it arrives and leaves the outcome to the stream', async () => {
    const { result, types } = await run(async function* (request) {
      yield warning(request);
      yield event(request, { type: 'text-delta', text: 'hi' });
      yield end(request);
    });
    expect(types).toEqual(['error', 'text-delta', 'turn-end']);
    expect(result.status).toBe('completed');
    expect(result.error).toBeUndefined();
  });

  test('R3: any other is shown as it arrives and fails the turn, whatever its end says', async () => {
    await explore(async (stage) => {
      const shown: string[] = [];
      const script = createScriptedBackend({
        turn: async function* (request) {
          yield fatal(request);
          expect(shown).toEqual(['error']);
          await stage.gate('after the error');
          yield end(request);
        },
      });
      const result = await createTestManager(script).process(said('one'), {
        onEvent: ({ type }) => void shown.push(type),
      });
      expect(result).toMatchObject({ status: 'failed', text: 'one', error: { code: 'PROVIDER_RATE_LIMIT' } });
    });
  });

  test('R3: the first of several is the reason', async () => {
    const { result } = await run(async function* (request) {
      yield fatal(request);
      throw new Error('broken');
    });
    expect(result.error?.code).toBe('PROVIDER_RATE_LIMIT');
  });
});

describe('the consumer of a turn', () => {
  test('is shown one event at a time, in order, and the engine waits for it', async () => {
    await explore(async (stage) => {
      const steps: string[] = [];
      const script = createScriptedBackend({
        turn: async function* (request) {
          for (const text of ['a', 'b']) {
            steps.push(`give ${text}`);
            yield event(request, { type: 'text-delta', text });
          }
          yield end(request);
        },
      });
      const onEvent = async (one: TurnEvent): Promise<void> => {
        await stage.gate('shown');
        steps.push(one.type === 'text-delta' ? `show ${one.text}` : one.type);
      };
      await createTestManager(script).process(said('one'), { onEvent });
      expect(steps).toEqual(['give a', 'show a', 'give b', 'show b', 'turn-end']);
    });
  });

  test('that throws ends the turn, which has failed; the engine is followed to its end', async () => {
    let isTidy = false;
    let shown = 0;
    const script = createScriptedBackend({
      turn: async function* (request) {
        yield event(request, { type: 'text-delta', text: 'a' });
        await cancelled(request);
        yield event(request, { type: 'text-delta', text: 'b' });
        await passTicks(5);
        isTidy = true;
        yield end(request, { status: 'cancelled' });
      },
    });
    const onEvent = (): void => {
      shown += 1;
      throw new Error('the socket is closed');
    };
    const result = await createTestManager(script).process(said('one'), { onEvent });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TURN_CONSUMER_FAILED' } });
    expect(result.error?.message).toContain('the socket is closed');
    expect({ isTidy, shown }).toEqual({ isTidy: true, shown: 1 });
  });

  test('that throws at the very end has failed the turn too', async () => {
    const script = createScriptedBackend();
    const onEvent = ({ type }: TurnEvent): void => {
      if (type === 'turn-end') throw new Error('the socket is closed');
    };
    const result = await createTestManager(script).process(said('one'), { onEvent });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TURN_CONSUMER_FAILED' } });
  });
});
