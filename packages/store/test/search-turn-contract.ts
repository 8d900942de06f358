import type { SearchTurnRecord } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import type { Engine } from './contract.ts';

/** What every engine does with the search turns of threads. */
export function searchTurnContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: search turns`, () => defineTests(createEngine));
}

function turnRecord(changes: Partial<SearchTurnRecord> = {}): SearchTurnRecord {
  const thread = { tenant: 'alice', session: 'ses', agent: 'main' };
  return { ...thread, anchor: 'call 1', turn: '{"gaps":[]}', usedAtMs: 1_000, ...changes };
}

function defineTests(createEngine: () => Promise<Engine>): void {
  test('Q2: are found by what a transcript shows of them, by another opener too', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const [one, other] = [turnRecord(), turnRecord({ anchor: 'call 2', agent: 'sub' })];
    await store.searchTurns.save([one, other]);
    expect(await reader.searchTurns.find('alice', ['call 1', 'call 3'])).toEqual([one]);
    expect(await reader.searchTurns.find('alice', [])).toEqual([]);
    const many = Array.from({ length: 450 }, (_, index) => `unknown ${index}`);
    expect(await reader.searchTurns.find('alice', [...many, 'call 2', 'call 1'])).toHaveLength(2);
  });

  test('law 8: another tenant’s are never found', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await store.searchTurns.save([turnRecord({ tenant: 'alice2' })]);
    expect(await store.searchTurns.find('alice', ['call 1'])).toEqual([]);
  });

  test('Q2: the first record of an anchor stands, and its use is never taken back', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await store.searchTurns.save([turnRecord({ usedAtMs: 2_000 })]);
    await store.searchTurns.save([turnRecord({ turn: 'another', session: 'fork', usedAtMs: 1_500 })]);
    expect(await store.searchTurns.find('alice', ['call 1'])).toEqual([turnRecord({ usedAtMs: 2_000 })]);
  });

  test('O10: live as long as their thread is used, and then go', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await store.searchTurns.save([turnRecord(), turnRecord({ anchor: 'call 2', session: 'other' })]);
    await store.searchTurns.touch([turnRecord()], 5_000);
    await store.searchTurns.touch([turnRecord()], 4_000);
    expect(await store.searchTurns.deleteUnusedSince(5_000)).toBe(1);
    const left = await store.searchTurns.find('alice', ['call 1', 'call 2']);
    expect(left).toEqual([turnRecord({ usedAtMs: 5_000 })]);
  });
}
