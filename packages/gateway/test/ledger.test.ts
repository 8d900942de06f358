import { describe, expect, test } from 'vitest';
import type { LedgerStore, RequestRecord } from '@quartermaster/store';
import { createLedgerWriter } from '../src/ledger/writer.ts';
import { createRatios } from '../src/ledger/ratios.ts';
import { createThreadUses } from '../src/ledger/thread-uses.ts';
import { catalog } from '@quartermaster/catalog';
import { ledgerTools } from './support/ledger-tools.ts';
import {
  type LedgerWorld,
  maxError,
  openLedgerWorld,
  type ScriptStep,
  type SessionOptions,
} from './support/ledger-world.ts';

const read: ScriptStep = { tool: 'Read' };

async function playTurns(world: LedgerWorld): Promise<void> {
  const session = world.start({ session: 'story' });
  await session.say([read, { tool: 'Invoice' }]);
  await session.say([{ tool: 'Invoice' }, read]);
  await session.say([{ tools: [{ tool: 'Archive' }, { tool: 'Invoice' }] }]);
}

async function statsOf(world: LedgerWorld) {
  await world.gateway().gateway.settled();
  return (await world.gateway().stats()).tool_defer;
}

describe('Q4: a turn that took several answers', () => {
  const pausing = { text: 'Looking.', search: 'crm records', limit: 1, stop: 'pause_turn' };

  test('Q4, LE1: is booked with all that was billed for it', async () => {
    await using world = await openLedgerWorld();
    await world.start().say([pausing]);
    const { withUsd } = await world.account();
    const [record, ...others] = await world.store.ledger.records('local', { limit: 5 });
    expect(others).toEqual([]);
    expect(record?.costUsd).toBeCloseTo(withUsd, 8);
    expect(record?.searches).toBe(1);
    expect((await statsOf(world)).requests_unknown).toBe(0);
  });

  test('Q4, LE5: is unknown where its parts can’t be told apart, and the provider’s figures are on its record', async () => {
    await using world = await openLedgerWorld();
    await world.start({ isStreaming: false }).say([pausing]);
    await world.account();
    const [record] = await world.store.ledger.records('local', { limit: 5 });
    expect(record).toMatchObject({ costUsd: null, netUsd: null, searches: 1 });
    expect(record?.cacheReadTokens).toBeGreaterThan(0);
    expect((await statsOf(world)).requests_unknown).toBe(1);
  });
});

describe('LE4: what is counted', () => {
  test('LE4: a wrong guess is counted once per tool and thread, however often it is used', async () => {
    await using world = await openLedgerWorld();
    const other = world.start({ session: 'story', agent: 'helper' });
    await other.say([read]);
    await playTurns(world);
    await other.say([{ tool: 'Invoice' }]);
    const stats = await statsOf(world);
    expect(stats.wrong_guesses).toBe(2 + 1);
    expect(stats.searches).toBe(3);
    expect(stats.threads_decided).toBe(2);
  });

  test('LE4: after a restart the uses that a transcript shows are not counted again', async () => {
    await using world = await openLedgerWorld();
    const session = world.start();
    await session.say([read, { tool: 'Invoice' }]);
    await world.restart();
    await session.say([read, { tool: 'Archive' }]);
    expect((await statsOf(world)).wrong_guesses).toBe(1);
    const guesses = (await world.store.ledger.sums('local', { sinceDay: 0 })).filter(
      ({ name }) => name === 'wrong_guesses',
    );
    expect(guesses.map(({ amount }) => amount)).toEqual([2]);
  });

  test('LE4: a first use that only the transcript shows counts too', () => {
    const uses = createThreadUses();
    expect(uses.noteTranscript('thread', [], true)).toBe(0);
    expect(uses.noteTranscript('thread', ['Invoice'], false)).toBe(1);
    expect(uses.noteCalls('thread', ['Invoice', 'Archive'])).toBe(1);
  });

  test.each([true, false])(
    'LE1: what is served fast and in the US is priced so (streamed: %s)',
    async (isStreaming) => {
      await using world = await openLedgerWorld();
      const session = world.start({ isStreaming, terms: { inference_geo: 'us', speed: 'fast' } });
      await session.say([read, { tool: 'Invoice' }]);
      const { withUsd, error } = await world.account();
      const records = await world.store.ledger.records('local', { limit: 9 });
      const bookedUsd = records.reduce((sum, { costUsd }) => sum + (costUsd ?? Number.NaN), 0);
      expect(bookedUsd).toBeCloseTo(withUsd, 8);
      expect(error).toBeLessThan(maxError);
    },
  );

  test('LE4: each request leaves a record with its bill and its net', async () => {
    await using world = await openLedgerWorld();
    await playTurns(world);
    const { withUsd, netUsd } = await world.account();
    const records = await world.store.ledger.records('local', { limit: 100, session: 'story' });
    const sum = (figure: 'costUsd' | 'netUsd'): number =>
      records.reduce((total, record) => total + (record[figure] ?? Number.NaN), 0);
    expect(records.length).toBe(8);
    expect(sum('costUsd')).toBeCloseTo(withUsd, 8);
    expect(sum('netUsd')).toBeCloseTo(netUsd ?? Number.NaN, 8);
    expect(records.every(({ decision, client }) => decision === 'defer' && client === 'claude-code')).toBe(
      true,
    );
  });
});

describe('tools that are removed', () => {
  const gone = ['Archive', 'Clock', 'mcp__desk'];
  const left = ledgerTools.filter(
    ({ name }) => !gone.some((unit) => name === unit || name.startsWith(`${unit}__`)),
  );

  async function play(world: LedgerWorld, { tools, marks }: Pick<SessionOptions, 'tools' | 'marks'>) {
    const session = world.start({ ...(tools && { tools }), ...(marks && { marks }) });
    await session.say([read, { tool: 'Invoice' }]);
    await session.say([read]);
    return { ...(await world.account()), stats: await statsOf(world) };
  }

  test.each([
    { marks: { system: '5m', messages: '5m' }, digits: 10 },
    // The mark counts in with the definition that the search loads where the client put it on that very tool.
    { marks: { tools: '1h', system: '5m', messages: '5m' }, digits: 3 },
  ] as const)(
    'LE1: are in neither bill: deferral saves as if the client had not sent them (marks: $marks)',
    async ({ marks, digits }) => {
      await using removing = await openLedgerWorld({ remove: gone });
      await using without = await openLedgerWorld();
      const one = await play(removing, { tools: ledgerTools, marks });
      const other = await play(without, { tools: left, marks });
      expect(one.withUsd).toBeCloseTo(other.withUsd, 10);
      expect(one.netUsd).toBeCloseTo(other.netUsd ?? Number.NaN, digits);
      expect(one.netUsd).toBeGreaterThan(0.01);
      expect(one.stats.requests_unknown).toBe(0);
    },
  );

  test('LE1: without deferral nothing is booked as saved, and the bill is known', async () => {
    await using world = await openLedgerWorld({ preset: 'xhigh', remove: gone });
    const { netUsd, withUsd, withoutUsd } = await play(world, {});
    expect(withUsd).toBeLessThan(withoutUsd);
    expect(netUsd).toBeCloseTo(0, 10);
    const records = await world.store.ledger.records('local', { limit: 9 });
    expect(new Set(records.map(({ decision }) => decision))).toEqual(new Set(['remove']));
    expect(records.reduce((sum, { costUsd }) => sum + (costUsd ?? Number.NaN), 0)).toBeCloseTo(withUsd, 8);
  });
});

describe('RF6: a refused round', () => {
  test('RF6: nothing is booked as saved for it, and it is on the record of its request', async () => {
    await using world = await openLedgerWorld({}, { mode: 'refuses-deferral' });
    const session = world.start({ session: 'refused' });
    await session.say([read]);
    await session.say([read]);
    const { netUsd, withUsd, withoutUsd } = await world.account();
    expect(withUsd).toBe(withoutUsd);
    expect(netUsd).toBeCloseTo(0, 10);
    const records = await world.store.ledger.records('local', { limit: 9 });
    expect(records.map(({ refusedRounds, status }) => [refusedRounds, status])).toEqual([
      [0, 200],
      [0, 200],
      [0, 200],
      [1, 200],
    ]);
    const sums = await world.store.ledger.sums('local', { sinceDay: 0 });
    expect(sums.filter(({ name }) => name === 'refused_rounds').map(({ amount }) => amount)).toEqual([1]);
  });
});

describe('LE5: realised and projected', () => {
  test('LE5: they never share a key, here or in the store', async () => {
    await using dealing = await openLedgerWorld();
    await using watching = await openLedgerWorld({ preset: 'observe' });
    for (const world of [dealing, watching]) await playTurns(world);
    expect(await statsOf(dealing)).toMatchObject({
      projected_tokens: null,
      projected_usd: null,
      projected: null,
    });
    expect(await statsOf(watching)).toMatchObject({
      net_tokens: null,
      net_usd: null,
      searches: 0,
      wrong_guesses: 0,
      requests_booked: 0,
    });
    const namesOf = async (world: LedgerWorld): Promise<readonly string[]> =>
      (await world.store.ledger.sums('local', { sinceDay: 0 })).map(({ name }) => name);
    const figures = /tokens|usd|searches|guesses|units|requests/;
    expect((await namesOf(dealing)).filter((name) => name.startsWith('projected_'))).toEqual([]);
    const watched = (await namesOf(watching)).filter((name) => figures.test(name));
    expect(watched.length).toBeGreaterThan(5);
    expect(watched.filter((name) => !name.startsWith('projected_'))).toEqual([]);
  });

  test('LE5: before any request is booked nothing is known', async () => {
    await using world = await openLedgerWorld();
    expect(await statsOf(world)).toMatchObject({ net_tokens: null, net_usd: null, requests_unknown: 0 });
  });

  test('PR1: observe says what ultrahigh saves in the same story, within 2 % of the bill', async () => {
    await using dealing = await openLedgerWorld();
    await using watching = await openLedgerWorld({ preset: 'observe' });
    for (const world of [dealing, watching]) await playTurns(world);
    const { netUsd, withoutUsd } = await dealing.account();
    const { projectedUsd } = await watching.account();
    expect(Math.abs((projectedUsd ?? Number.NaN) - (netUsd ?? Number.NaN)) / withoutUsd).toBeLessThan(0.02);
    const { projected } = await statsOf(watching);
    expect(projected).toMatchObject({
      threads_decided: 1,
      searches: 2,
      wrong_guesses: 2,
      requests_unknown: 0,
    });
  });

  test('PR1: observe leaves no thread record and no plan, and costs what no gateway would', async () => {
    await using world = await openLedgerWorld({ preset: 'observe' });
    await playTurns(world);
    const { withUsd, withoutUsd } = await world.account();
    expect(withUsd).toBe(withoutUsd);
    const key = { tenant: 'local', session: 'story', agent: 'main' };
    expect(await world.store.threads.read(key)).toBeUndefined();
    expect(await world.store.plans.load('local')).toEqual([]);
  });
});

describe('LE6: a holdout', () => {
  test('LE6: by default no thread is held out', async () => {
    await using world = await openLedgerWorld();
    await playTurns(world);
    expect((await statsOf(world)).arms).toBeNull();
  });

  test('LE6: with a share of 1 every thread that would be deferred stays as it is', async () => {
    await using world = await openLedgerWorld({ holdoutShare: 1 });
    await playTurns(world);
    const { withUsd, withoutUsd, netUsd } = await world.account();
    expect(withUsd).toBe(withoutUsd);
    expect(netUsd).toBeCloseTo(0, 12);
    const stats = await statsOf(world);
    expect(stats.nothing_reasons).toEqual({ holdout: 1 });
    expect(stats.arms?.holdout).toMatchObject({ threads: 1 });
    expect(stats.arms?.holdout.usd).toBeCloseTo(withUsd, 6);
    expect(stats.arms?.deferred).toMatchObject({ threads: 0, requests: 0, usd: null });
  });

  test('LE6: the share holds over many threads, and each keeps its arm', async () => {
    await using world = await openLedgerWorld({ holdoutShare: 0.5 });
    for (let index = 0; index < 24; index += 1) {
      const session = world.start({ session: `session-${index}` });
      await session.say([]);
      await session.say([]);
    }
    const { arms } = await statsOf(world);
    expect(arms?.holdout.threads).toBeGreaterThan(4);
    expect(arms?.deferred.threads).toBeGreaterThan(4);
    expect(arms?.holdout.requests).toBe(2 * (arms?.holdout.threads ?? 0));
    expect(arms?.deferred.requests).toBe(2 * (arms?.deferred.threads ?? 0));
  });
});

describe('LE1: caches that the two prompts meet differently', () => {
  const model = 'claude-haiku-4-5-20251001';
  const marks = { system: '5m' } as const;

  test('LE1: an undeferred prompt below the minimum would not have been cached either', async () => {
    await using world = await openLedgerWorld();
    const tools = ledgerTools.slice(0, 4);
    const session = world.start({ model, marks, tools, system: 'Be brief.' });
    await session.say([read, read]);
    const { error, withoutUsd, withUsd } = await world.account();
    expect(withoutUsd).toBeGreaterThan(withUsd);
    expect(error).toBeLessThan(0.01);
  });

  test('LE1: a restart within a cache’s life does not make the other prompt’s cache cold', async () => {
    await using world = await openLedgerWorld();
    const session = world.start({ model, marks, system: 'Be brief.' });
    await session.say([read]);
    await world.restart();
    await session.say([read]);
    expect((await world.account()).error).toBeLessThan(0.01);
  });
});

describe('LE2: weights in billed tokens', () => {
  const model = catalog.find('claude-opus-5-5');
  if (model === undefined) throw new Error('the catalog lacks the model of this test');

  test('LE2: without a request of its own the ratio is the table’s, then the running median', () => {
    const ratios = createRatios();
    expect(ratios.of(model)).toBe(1.69);
    for (const billedTokens of [1_500, 1_400, 9_000]) ratios.add(model, { billedTokens, o200k: 1_000 });
    expect(ratios.of(model)).toBeCloseTo(1.45);
  });

  test('LE2: a short prompt is no sample', () => {
    const ratios = createRatios();
    ratios.add(model, { billedTokens: 300, o200k: 100 });
    expect(ratios.of(model)).toBe(1.69);
  });

  test('LE2: a table that is wrong is corrected by the model’s own requests', async () => {
    const models = catalog.models.map((row) => ({ ...row, billedPerO200k: 1.2 }));
    const wrong = { models, find: (id: string) => models.find((row) => row.id === id) };
    await using world = await openLedgerWorld({ catalog: wrong });
    await playTurns(world);
    expect((await world.account()).error).toBeLessThan(0.01);
  });
});

describe('FA5: the ledger’s queues are bounded', () => {
  const record = { tenant: 'local' } as RequestRecord;

  test('FA5: what finds the queue full is dropped and counted', () => {
    const writer = writerOver({ append: async () => {} }, 4_096);
    for (let index = 0; index < 5_000; index += 1) writer.write(record);
    expect(writer.drops()).toBe(904);
  });

  test('FA5: a failed write stays, and what is then too much is dropped and counted', async () => {
    const written: RequestRecord[] = [];
    let isBroken = true;
    const writer = writerOver(
      {
        append: async (records) => {
          if (isBroken) throw new Error('disk full');
          written.push(...records);
        },
      },
      3,
    );
    for (let index = 0; index < 3; index += 1) writer.write(record);
    const failing = writer.flush();
    writer.write(record);
    await failing;
    expect(writer.drops()).toBe(1);
    isBroken = false;
    await writer.flush();
    expect(written).toHaveLength(3);
  });

  test('FA5: after each write the store is held to a million rows and 2 GiB', async () => {
    const bounds: unknown[] = [];
    const writer = writerOver(
      {
        append: async () => {},
        trim: async (kept) => {
          bounds.push(kept);
          return 0;
        },
      },
      10,
    );
    writer.write(record);
    await writer.flush();
    expect(bounds).toEqual([{ rows: 1_000_000, bytes: 2_147_483_648 }]);
  });

  function writerOver(store: Partial<LedgerStore>, maxQueued: number) {
    const whole = { trim: async () => 0, deleteBefore: async () => 0, ...store } as LedgerStore;
    const silent = () => {};
    return createLedgerWriter({
      store: whole,
      clock: { now: () => 0 },
      log: { debug: silent, info: silent, warn: silent, error: silent },
      maxQueued,
    });
  }
});
