import type { HistoryStore } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { createHistory, type History } from '../src/history.ts';
import type { Log } from '../src/index.ts';
import { openTemporaryStore } from './support/gateway.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A history whose clock goes on by one with each sighting. */
function historyOver(store?: HistoryStore): History {
  let nowMs = 0;
  return createHistory({ store, clock: { now: () => (nowMs += 1) }, log: silent });
}

function see(
  history: History,
  session: string,
  over: { project?: string; used?: string[]; tenant?: string } = {},
) {
  const { project = 'p', used = [], tenant = 'local' } = over;
  history.record({ tenant, session, project, declared: ['Alpha', 'Beta'], used });
}

const used = (sessions: readonly { readonly used: ReadonlySet<string> }[]) =>
  sessions.map((session) => [...session.used]);

describe('the newest sessions', () => {
  test('HI2: go by last activity, leave out the session at hand and keep to their project', () => {
    const history = historyOver();
    for (const name of ['a', 'b', 'c']) see(history, name, { used: [name] });
    see(history, 'other', { project: 'q', used: ['other'] });
    see(history, 'a');
    expect(used(history.newest('local', 'b', 9))).toEqual([['a'], ['other'], ['c']]);
    expect(used(history.newest('local', 'x', 2))).toEqual([['a'], ['other']]);
    expect(used(history.newestOfProject('local', 'p', 'a', 9))).toEqual([['c'], ['b']]);
  });

  test('HI5: are one tenant’s own', () => {
    const history = historyOver();
    see(history, 's', { tenant: 'alice', used: ['Alpha'] });
    see(history, 't', { tenant: 'bob', used: ['Beta'] });
    expect(used(history.newest('bob', 'x', 9))).toEqual([['Beta']]);
    expect(history.newest('alice2', 'x', 9)).toEqual([]);
    expect(history.newest('alic', 'x', 9)).toEqual([]);
  });

  test('HI3: are handed out as copies', () => {
    const history = historyOver();
    see(history, 's');
    const copies = history.newest('local', 'x', 1);
    for (const copy of copies) (copy.used as Set<string>).add('Alpha');
    expect(used(history.newest('local', 'x', 1))).toEqual([[]]);
  });

  test('HI2: 64 are kept per tenant, and 10 per project beyond them', () => {
    const history = historyOver();
    for (let session = 0; session < 12; session += 1) see(history, `old${session}`, { project: 'old' });
    for (let session = 0; session < 100; session += 1) see(history, `new${session}`, { project: 'new' });
    expect(history.newest('local', 'x', 1_000)).toHaveLength(64 + 10);
    expect(history.newestOfProject('local', 'old', 'x', 1_000)).toHaveLength(10);
  });
});

describe('the store', () => {
  test('HI3: gets what changed, once, and a restart reads it back in order', async () => {
    await using temporary = await openTemporaryStore();
    const saved: number[] = [];
    const { history: real } = temporary.store;
    const counting: HistoryStore = {
      load: (tenant) => real.load(tenant),
      trim: (tenant, kept) => real.trim(tenant, kept),
      deleteUnusedSince: (beforeMs) => real.deleteUnusedSince(beforeMs),
      save: async (rows) => {
        saved.push(rows.length);
        await real.save(rows);
      },
    };
    const before = historyOver(counting);
    await before.load('local');
    for (const name of ['a', 'b']) see(before, name, { used: [name] });
    await before.flush();
    see(before, 'b', { used: ['b'] });
    await before.flush();
    expect(saved).toEqual([2]);
    const after = historyOver(real);
    expect(after.isLoaded('local')).toBe(false);
    await after.load('local');
    expect(after.isLoaded('local')).toBe(true);
    expect(used(after.newest('local', 'x', 9))).toEqual([['b'], ['a']]);
  });

  test('HI3: gets the last activity at close, which alone is no change', async () => {
    await using temporary = await openTemporaryStore();
    const history = historyOver(temporary.store.history);
    for (const name of ['a', 'b']) see(history, name, { used: [name] });
    await history.flush();
    see(history, 'a');
    await history.flush();
    const order = async () => (await temporary.store.history.load('local')).map(({ session }) => session);
    expect(await order()).toEqual(['b', 'a']);
    await history.flushActivity();
    expect(await order()).toEqual(['a', 'b']);
  });

  test('HI3: that fails keeps the rows dirty for the next time', async () => {
    let isDown = true;
    const rows: string[] = [];
    const history = historyOver({
      load: async () => [],
      trim: async () => 0,
      deleteUnusedSince: async () => 0,
      save: async (batch) => {
        if (isDown) throw new Error('locked');
        rows.push(...batch.map(({ session }) => session));
      },
    });
    see(history, 's');
    await history.flush();
    isDown = false;
    await history.flush();
    expect(rows).toEqual(['s']);
  });

  test('HI4: what was last active before the retention is forgotten, in memory and in the store', async () => {
    await using temporary = await openTemporaryStore();
    const history = historyOver(temporary.store.history);
    for (const name of ['a', 'b', 'c']) see(history, name, { used: [name] });
    await history.flush();
    await history.forgetUnusedSince(3);
    expect(used(history.newest('local', 'x', 9))).toEqual([['c']]);
    expect(await temporary.store.history.load('local')).toHaveLength(1);
  });
});
