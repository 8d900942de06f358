import { describe, expect, test } from 'vitest';
import type { Engine } from './contract.ts';
import { cacheEntry, requestRecord } from './records.ts';

/** What every engine's ledger must do. */
export function ledgerContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: the ledger`, () => defineLedgerTests(createEngine));
}

function defineLedgerTests(createEngine: () => Promise<Engine>): void {
  test('LE4: records come back newest first, each figure as it was, unknown ones as null', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const unknown = requestRecord({ session: 'other', inputTokens: null, costUsd: null, netUsd: null });
    await store.ledger.append([requestRecord(), unknown], []);
    await store.ledger.append([requestRecord({ tenant: 'local2' })], []);
    expect(await reader.ledger.records('local', { limit: 10 })).toEqual([unknown, requestRecord()]);
    expect(await reader.ledger.records('local', { limit: 1 })).toEqual([unknown]);
    expect(await reader.ledger.records('local', { limit: 10, session: 'ses' })).toEqual([requestRecord()]);
  });

  test('LE4: amounts are added to the sums of their day, whoever adds them', async () => {
    await using engine = await createEngine();
    const [one, two] = [await engine.open(), await engine.open()];
    const amount = (over: object = {}) => ({
      tenant: 'local',
      day: 7,
      name: 'net_usd',
      amount: 0.25,
      ...over,
    });
    await one.ledger.append([], [amount(), amount({ name: 'searches', amount: 2 })]);
    await two.ledger.append([], [amount({ amount: -0.75 }), amount({ day: 8 }), amount({ tenant: 'alice' })]);
    expect(await one.ledger.sums('local', { sinceDay: 7 })).toEqual([
      amount({ amount: -0.5 }),
      amount({ name: 'searches', amount: 2 }),
      amount({ day: 8 }),
    ]);
    expect(await one.ledger.sums('local', { sinceDay: 8 })).toEqual([amount({ day: 8 })]);
  });

  test('FA5: trimming keeps the newest records within the bound of rows', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const records = Array.from({ length: 2_500 }, (_, index) => requestRecord({ atMs: index }));
    await store.ledger.append(records, []);
    expect(await store.ledger.trim({ rows: 100, bytes: 1_000_000_000 })).toBe(2_400);
    const kept = await store.ledger.records('local', { limit: 5_000 });
    expect(kept.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 100 }, (_, index) => 2_499 - index));
    expect(await store.ledger.trim({ rows: 100, bytes: 1_000_000_000 })).toBe(0);
  });

  test('FA5: trimming keeps the newest records within the bound of bytes', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const session = 'x'.repeat(10_000);
    for (let atMs = 0; atMs < 20; atMs += 1)
      await store.ledger.append([requestRecord({ session, atMs })], []);
    await store.ledger.trim({ rows: 1_000, bytes: 55_000 });
    const kept = await store.ledger.records('local', { limit: 100 });
    expect(kept.map(({ atMs }) => atMs)).toEqual([19, 18, 17, 16, 15]);
  });

  test('HI4: retention deletes records and whole days of sums', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const dayMs = 86_400_000;
    const amounts = [1, 2].map((day) => ({ tenant: 'local', day, name: 'searches', amount: 1 }));
    await store.ledger.append(
      [dayMs, 2 * dayMs, 2 * dayMs + 5].map((atMs) => requestRecord({ atMs })),
      amounts,
    );
    expect(await store.ledger.deleteBefore(2 * dayMs + 5)).toBe(3);
    expect(await store.ledger.records('local', { limit: 9 })).toEqual([
      requestRecord({ atMs: 2 * dayMs + 5 }),
    ]);
    expect(await store.ledger.sums('local', { sinceDay: 0 })).toEqual([amounts[1]]);
  });

  test('PU3: deleting a tenant leaves the rows of every other', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    for (const tenant of ['alice', 'alice2']) {
      await store.ledger.append(
        [requestRecord({ tenant })],
        [{ tenant, day: 1, name: 'searches', amount: 1 }],
      );
      await store.ledger.saveCacheEntries([cacheEntry({ tenant })]);
    }
    expect(await store.ledger.deleteTenant('alice')).toBe(3);
    for (const [tenant, rows] of [
      ['alice', 0],
      ['alice2', 1],
    ] as const) {
      expect(await store.ledger.records(tenant, { limit: 9 })).toHaveLength(rows);
      expect(await store.ledger.sums(tenant, { sinceDay: 0 })).toHaveLength(rows);
      expect(await store.ledger.cacheEntries(tenant, 0)).toHaveLength(rows);
    }
  });

  test('LE1: cache entries are replaced by key, and come back while they live', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const other = cacheEntry({ arm: 'undeferred', endsAtMs: 3_000 });
    await store.ledger.saveCacheEntries([cacheEntry({ endsAtMs: 1_000 }), other]);
    await store.ledger.saveCacheEntries([cacheEntry({ tokens: 50.5, endsAtMs: 2_000 })]);
    const renewed = cacheEntry({ tokens: 50.5, endsAtMs: 2_000 });
    expect(await store.ledger.cacheEntries('local', 1_999)).toEqual([renewed, other]);
    expect(await store.ledger.cacheEntries('local', 2_000)).toEqual([other]);
    expect(await store.ledger.deleteCacheEntriesEndedBefore(2_500)).toBe(1);
    expect(await store.ledger.cacheEntries('local', 0)).toEqual([other]);
  });
}
