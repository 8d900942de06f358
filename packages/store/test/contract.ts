import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { Store, ThreadRecord } from '@quartermaster/store';
import { claimed, farDeadline, sessionHistory, threadRecord, verdictRecord } from './records.ts';

/** An engine with an empty store. */
export interface Engine extends AsyncDisposable {
  /** Opens the store; each call is another opener of the same rows. Closed at the end of the scope at the latest. */
  open(options?: { readonly clock?: { now(): number } }): Promise<Store>;
}

/** What every engine must do (O2: one interface, two engines). */
export function storeContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: thread records`, () => {
    threadContract(createEngine);
  });
  describe(`${name}: history`, () => {
    historyContract(createEngine);
  });
  describe(`${name}: verdicts`, () => {
    verdictContract(createEngine);
  });
  describe(`${name}: turn-offs`, () => {
    turnOffContract(createEngine);
  });
  describe(`${name}: opt-outs`, () => {
    optOutContract(createEngine);
  });
  describe(`${name}: its life`, () => {
    lifeContract(createEngine);
  });
}

function threadContract(createEngine: () => Promise<Engine>): void {
  test('O2: the first writer wins, and every later one gets its row', async () => {
    await using engine = await createEngine();
    const [ours, theirs] = [await engine.open(), await engine.open()];
    const first = threadRecord({ attempt: 'first', decision: 'first decision' });
    const second = threadRecord({ attempt: 'second', decision: 'second decision' });
    expect(await ours.threads.claim(first, farDeadline())).toEqual({ type: 'won', record: first });
    expect(await theirs.threads.claim(second, farDeadline())).toEqual({ type: 'taken', record: first });
    expect(await theirs.threads.read(second)).toEqual(first);
  });

  test('O1: an attempt that asks again is told that it won', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = await claimed(store, threadRecord());
    expect(await store.threads.claim(record, farDeadline())).toEqual({ type: 'won', record });
  });

  test('O1: a claim may have all the time there is', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = threadRecord();
    const claim = await store.threads.claim(record, { deadlineMs: Number.MAX_SAFE_INTEGER });
    expect(claim).toEqual({ type: 'won', record });
  });

  test('O2: many claims of one thread at once have one winner', async () => {
    await using engine = await createEngine();
    const stores = [await engine.open(), await engine.open()];
    const attempts = Array.from({ length: 40 }, (_, index) => threadRecord({ attempt: `attempt-${index}` }));
    const claims = await Promise.all(
      attempts.flatMap((record) => stores.map((store) => store.threads.claim(record, farDeadline()))),
    );
    const records = claims.map((claim) => (claim.type === 'unconfirmed' ? undefined : claim.record));
    expect(new Set(records.map((record) => record?.attempt)).size).toBe(1);
    expect(claims.filter(({ type }) => type === 'won')).toHaveLength(stores.length);
  });

  test("O1: a claim whose deadline is over by the caller's clock inserts nothing, whatever the engine's says", async () => {
    await using engine = await createEngine();
    const store = await engine.open({ clock: { now: () => Date.now() + 120_000 } });
    const claim = await store.threads.claim(threadRecord(), { deadlineMs: Date.now() + 60_000 });
    expect(claim).toEqual({ type: 'unconfirmed', attempt: 'attempt-1' });
    await store.close();
    expect(await (await engine.open()).threads.read(threadRecord())).toBeUndefined();
  });

  test("O1: the deadline is held against the engine's clock too, so a caller whose clock is behind inserts nothing", async () => {
    await using engine = await createEngine();
    const store = await engine.open({ clock: { now: () => Date.now() - 120_000 } });
    const claim = await store.threads.claim(threadRecord(), { deadlineMs: Date.now() - 60_000 });
    expect(claim).toEqual({ type: 'unconfirmed', attempt: 'attempt-1' });
    expect(await store.threads.read(threadRecord())).toBeUndefined();
  });

  test('O1: settling replaces the row of its own attempt', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = await claimed(store, threadRecord());
    const nothing = { ...record, decision: 'nothing', decidedAtMs: record.decidedAtMs + 5 };
    await store.threads.settle(nothing);
    expect(await store.threads.read(record)).toEqual(nothing);
  });

  test('O1: settling leaves the row of another attempt as it is', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = await claimed(store, threadRecord());
    await store.threads.settle({ ...record, attempt: 'another', decision: 'nothing' });
    expect(await store.threads.read(record)).toEqual(record);
  });

  test('O1: settling inserts where no row stands, and a late claim then gets that row', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const nothing = threadRecord({ decision: 'nothing' });
    await store.threads.settle(nothing);
    expect(await store.threads.read(nothing)).toEqual(nothing);
    const late = threadRecord({ attempt: 'late' });
    expect(await store.threads.claim(late, farDeadline())).toEqual({ type: 'taken', record: nothing });
  });

  test('RF2: replacing changes the row of its own attempt, and nothing else', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = await claimed(store, threadRecord());
    const nothing = { ...record, decision: 'nothing', decidedAtMs: record.decidedAtMs + 5 };
    await store.threads.replace({ ...nothing, attempt: 'another' });
    await store.threads.replace({ ...nothing, session: 'unknown' });
    expect(await store.threads.read(record)).toEqual(record);
    expect(await store.threads.read({ ...record, session: 'unknown' })).toBeUndefined();
    await store.threads.replace(nothing);
    expect(await store.threads.read(record)).toEqual(nothing);
  });

  test('RF2, O2: a late claim gets the row as it was replaced, and does not change it', async () => {
    await using engine = await createEngine();
    const [ours, theirs] = [await engine.open(), await engine.open()];
    const record = await claimed(ours, threadRecord());
    const nothing = { ...record, decision: 'nothing' };
    await ours.threads.replace(nothing);
    const late = threadRecord({ attempt: 'late' });
    expect(await theirs.threads.claim(late, farDeadline())).toEqual({ type: 'taken', record: nothing });
    expect(await ours.threads.read(record)).toEqual(nothing);
  });

  test('O5, RF2: an opening keeps its first decision until it is given another', async () => {
    await using engine = await createEngine();
    const { openings } = await engine.open();
    const opening = { tenant: 'local', fingerprint: 'f', decision: 'defer', usedAtMs: 1_000 };
    await openings.replace({ ...opening, decision: 'nothing' });
    expect(await openings.find('local', 'f')).toBeUndefined();
    await openings.save(opening);
    await openings.save({ ...opening, decision: 'other' });
    expect(await openings.find('local', 'f')).toBe('defer');
    await openings.replace({ ...opening, tenant: 'local2', decision: 'nothing' });
    expect(await openings.find('local', 'f')).toBe('defer');
    await openings.replace({ ...opening, decision: 'nothing' });
    expect(await openings.find('local', 'f')).toBe('nothing');
  });

  test('O10: a record lives from its last use on, however the uses arrive', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const old = await claimed(store, threadRecord({ session: 'old', decidedAtMs: 1_000 }));
    const used = await claimed(store, threadRecord({ session: 'used', decidedAtMs: 1_000 }));
    await store.threads.touch([used], 3_000);
    await store.threads.touch([used, threadRecord({ session: 'unknown' })], 2_000);
    expect(await store.threads.deleteUnusedSince(1_000)).toBe(0);
    expect(await store.threads.deleteUnusedSince(3_000)).toBe(1);
    expect(await store.threads.read(old)).toBeUndefined();
    expect(await store.threads.read(used)).toEqual(used);
    expect(await store.threads.deleteUnusedSince(3_001)).toBe(1);
  });

  test('touching nothing is fine', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await expect(store.threads.touch([], 1_000)).resolves.toBeUndefined();
  });

  test('tenant, session and agent each tell threads apart', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const records = [
      threadRecord({ tenant: 'alice' }),
      threadRecord({ tenant: 'alice2' }),
      threadRecord({ tenant: 'Alice' }),
      threadRecord({ tenant: 'alic%' }),
      threadRecord({ session: 'alice' }),
      threadRecord({ agent: 'alice' }),
    ].map((record, index) => ({ ...record, decision: `decision ${index}` }));
    for (const record of records) await claimed(store, record);
    expect(await Promise.all(records.map((record) => store.threads.read(record)))).toEqual(records);
  });

  test('case 135: ids are only values, whatever is in them', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const records = hostileIds.flatMap((id) => [
      threadRecord({ tenant: id }),
      threadRecord({ session: id, agent: id }),
    ]);
    for (const record of records) await claimed(store, record);
    expect(await Promise.all(records.map((record) => store.threads.read(record)))).toEqual(records);
  });

  test('O1, O2: any sequence of claims and settlements keeps the first decision, changed by its own attempt alone', async () => {
    await using engine = await createEngine();
    const stores = [await engine.open(), await engine.open()];
    const action = fc.record({
      isClaim: fc.boolean(),
      opener: fc.nat({ max: 1 }),
      session: fc.constantFrom('a', 'b'),
      attempt: fc.constantFrom('x', 'y', 'z'),
      decision: fc.string(),
    });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const tenant = `tenant-${(runs += 1)}`;
        const expected = new Map<string, ThreadRecord>();
        for (const { isClaim, opener, ...fields } of actions) {
          const record = threadRecord({ tenant, ...fields });
          const before = expected.get(record.session);
          const isOurs = before === undefined || before.attempt === record.attempt;
          if (before === undefined || (!isClaim && isOurs)) expected.set(record.session, record);
          const threads = stores[opener]?.threads;
          if (isClaim)
            expect((await threads?.claim(record, farDeadline()))?.type).toBe(isOurs ? 'won' : 'taken');
          else await threads?.settle(record);
          expect(await threads?.read(record)).toEqual(expected.get(record.session));
        }
      }),
      { seed: inject('seed'), numRuns: 40 },
    );
  });
}

const hostileIds = [
  '../../x',
  '/abs',
  '..\\x',
  'a\u0000b',
  'a\u0000c',
  '.',
  '',
  'CON',
  'con',
  'x'.repeat(300),
  'a/b',
  '%2e%2e%2f',
  "'; drop table thread; --",
  '\u{1f600}',
  'e\u0301',
  '\u00e9',
];

function historyContract(createEngine: () => Promise<Engine>): void {
  test("HI1: a tenant's sessions come back newest first, each with its names in order", async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const rows = [3_000, 1_000, 2_000].map((lastActivityMs) =>
      sessionHistory({
        session: `ses-${lastActivityMs}`,
        lastActivityMs,
        declared: ['b', 'a "quoted"', 'é'],
        used: [],
      }),
    );
    await store.history.save(rows);
    expect(await store.history.load('local')).toEqual([rows[0], rows[2], rows[1]]);
  });

  test('HI1: saving a session of a project again replaces its row', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const later = sessionHistory({ declared: ['Read'], used: ['Read'], lastActivityMs: 2_000 });
    const elsewhere = sessionHistory({ project: 'other', lastActivityMs: 1_500 });
    await store.history.save([sessionHistory(), elsewhere]);
    await store.history.save([later]);
    expect(await reader.history.load('local')).toEqual([later, elsewhere]);
  });

  test('HI5: nothing of tenant alice is read for alice2', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const [alice, alice2] = [sessionHistory({ tenant: 'alice' }), sessionHistory({ tenant: 'alice2' })];
    await store.history.save([alice, alice2]);
    expect(await store.history.load('alice')).toEqual([alice]);
    expect(await store.history.load('alice2')).toEqual([alice2]);
    expect(await store.history.load('ali')).toEqual([]);
  });

  test('HI4: retention deletes the sessions that ended before, and says how many', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const rows = [1_000, 2_000, 3_000].map((lastActivityMs) =>
      sessionHistory({ session: `ses-${lastActivityMs}`, lastActivityMs }),
    );
    await store.history.save(rows);
    expect(await store.history.deleteUnusedSince(2_000)).toBe(1);
    expect(await store.history.load('local')).toEqual([rows[2], rows[1]]);
  });

  test('HI2: trimming keeps the newest sessions, and the newest of each of the newest projects', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const projects = ['c', 'c', 'c', 'b', 'c', 'b', 'b', 'a']; // newest first
    const rows = projects.map((project, index) =>
      sessionHistory({ session: `ses-${index}`, project, lastActivityMs: 1_000 - index }),
    );
    const bystander = sessionHistory({ tenant: 'local2', lastActivityMs: 1 });
    await store.history.save([...rows, bystander]);
    expect(await store.history.trim('local', { sessions: 3, sessionsPerProject: 2, projects: 2 })).toBe(3);
    expect(await store.history.load('local')).toEqual([rows[0], rows[1], rows[2], rows[3], rows[5]]);
    expect(await store.history.trim('local', { sessions: 3, sessionsPerProject: 2, projects: 2 })).toBe(0);
    expect(await store.history.load('local2')).toEqual([bystander]);
  });

  test('saving nothing is fine; 2,000 rows are one batch', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await store.history.save([]);
    await store.history.save(
      Array.from({ length: 2_000 }, (_, index) => sessionHistory({ session: `ses-${index}` })),
    );
    expect(await store.history.load('local')).toHaveLength(2_000);
  });
}

function verdictContract(createEngine: () => Promise<Engine>): void {
  test('CH3: a verdict is kept by upstream, model and route, oldest check first', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const pass = verdictRecord({ checkedAtMs: 3_000 });
    const others = [
      verdictRecord({ upstream: 'https://other.example', checkedAtMs: 1_000 }),
      verdictRecord({ model: 'another-model', verdict: 'fail', checkedAtMs: 2_000 }),
      verdictRecord({ route: 'v1/other', checkedAtMs: 4_000 }),
    ];
    for (const verdict of [pass, ...others]) await store.verdicts.save(verdict);
    expect(await reader.verdicts.load()).toEqual([others[0], others[1], pass, others[2]]);
  });

  test('CH3: a later check replaces the verdict', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const fail = verdictRecord({ verdict: 'fail', checkedAtMs: 2_000 });
    await store.verdicts.save(verdictRecord());
    await store.verdicts.save(fail);
    expect(await store.verdicts.load()).toEqual([fail]);
  });

  test('CH7: a dropped verdict is gone; dropping one that is not there is fine', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const kept = verdictRecord({ model: 'another-model' });
    for (const verdict of [verdictRecord(), kept]) await store.verdicts.save(verdict);
    await store.verdicts.delete(verdictRecord());
    await store.verdicts.delete(verdictRecord({ route: 'unknown' }));
    expect(await store.verdicts.load()).toEqual([kept]);
  });
}

function turnOffContract(createEngine: () => Promise<Engine>): void {
  test('RF2: a turn-off is kept by tenant and model, and a later proof starts it anew', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    for (const [model, startedAtMs] of [
      ['a', 3_000],
      ['b', 1_000],
      ['a', 2_000],
      ['b', 4_000],
    ] as const) {
      await store.turnOffs.save({ tenant: 'alice', model, startedAtMs });
    }
    await store.turnOffs.save({ tenant: 'alice2', model: 'a', startedAtMs: 1 });
    expect(await reader.turnOffs.load('alice')).toEqual([
      { tenant: 'alice', model: 'a', startedAtMs: 3_000 },
      { tenant: 'alice', model: 'b', startedAtMs: 4_000 },
    ]);
    expect(await reader.turnOffs.load('alice2')).toHaveLength(1);
  });

  test('RF2: trimming keeps the newest of one tenant; retention deletes the old of all', async () => {
    await using engine = await createEngine();
    const { turnOffs } = await engine.open();
    for (const tenant of ['alice', 'alice2']) {
      for (const startedAtMs of [1, 2, 3, 4]) {
        await turnOffs.save({ tenant, model: `m${startedAtMs}`, startedAtMs });
      }
    }
    expect(await turnOffs.trim('alice', 3)).toBe(1);
    expect((await turnOffs.load('alice')).map(({ model }) => model)).toEqual(['m2', 'm3', 'm4']);
    expect(await turnOffs.load('alice2')).toHaveLength(4);
    expect(await turnOffs.deleteStartedBefore(3)).toBe(3);
    expect((await turnOffs.load('alice2')).map(({ model }) => model)).toEqual(['m3', 'm4']);
  });
}

function optOutContract(createEngine: () => Promise<Engine>): void {
  const optOut = (session: string, usedAtMs: number, isPending = false, tenant = 'alice') => ({
    tenant,
    session,
    isPending,
    usedAtMs,
  });

  test('SG2: what its session took never waits again, and a use is never taken back', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await store.optOuts.save([optOut('s', 1_000, true), optOut('s', 1, false, 'alice2')]);
    expect(await reader.optOuts.find('alice', 's')).toEqual(optOut('s', 1_000, true));
    await store.optOuts.save([optOut('s', 3_000, false)]);
    await store.optOuts.save([optOut('s', 2_000, true)]);
    expect(await reader.optOuts.find('alice', 's')).toEqual(optOut('s', 3_000, false));
    expect(await reader.optOuts.load('alice')).toEqual([optOut('s', 3_000, false)]);
    expect(await reader.optOuts.find('alice', 'other')).toBeUndefined();
  });

  test('SG2: only the newest waiting ones of a tenant stay; taken ones and other tenants’ are not counted', async () => {
    await using engine = await createEngine();
    const { optOuts } = await engine.open();
    await optOuts.save([1, 2, 3, 4].map((usedAtMs) => optOut(`w${usedAtMs}`, usedAtMs, true)));
    await optOuts.save([optOut('taken', 0), optOut('w0', 0, true, 'alice2')]);
    expect(await optOuts.trimPending('alice', 2)).toBe(2);
    expect((await optOuts.load('alice')).map(({ session }) => session)).toEqual(['taken', 'w3', 'w4']);
    expect(await optOuts.load('alice2')).toHaveLength(1);
  });

  test('SG2, O10: waiting ones lapse, taken ones live from their last use on', async () => {
    await using engine = await createEngine();
    const { optOuts } = await engine.open();
    await optOuts.save([
      optOut('taken', 5),
      optOut('waiting', 5, true),
      optOut('late', 9, true),
      optOut('old', 1),
    ]);
    expect(await optOuts.deleteUnusedSince({ beforeMs: 2, pendingBeforeMs: 9 })).toBe(2);
    expect((await optOuts.load('alice')).map(({ session }) => session)).toEqual(['taken', 'late']);
  });

  test('case 135: sessions are only values, whatever is in them', async () => {
    await using engine = await createEngine();
    const { optOuts } = await engine.open();
    const records = hostileIds.map((session, index) => optOut(session, index));
    await optOuts.save(records);
    expect(await optOuts.load('alice')).toEqual(records);
  });
}

function lifeContract(createEngine: () => Promise<Engine>): void {
  test('what was written is there for the next opener', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const record = await claimed(store, threadRecord());
    await store.close();
    expect(await (await engine.open()).threads.read(record)).toEqual(record);
  });

  test('closing finishes what is under way', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const records = Array.from({ length: 200 }, (_, index) => threadRecord({ session: `ses-${index}` }));
    const claims = records.map((record) => store.threads.claim(record, farDeadline()));
    await store.close();
    expect((await Promise.all(claims)).filter(({ type }) => type === 'won')).toHaveLength(200);
  });

  test('closing twice is fine', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await Promise.all([store.close(), store.close()]);
    await expect(store.close()).resolves.toBeUndefined();
  });

  test('after closing a claim is unconfirmed, and every other call rejects with STORE_CLOSED', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await store.close();
    expect(await store.threads.claim(threadRecord(), farDeadline())).toMatchObject({
      type: 'unconfirmed',
      cause: { code: 'STORE_CLOSED' },
    });
    const calls = [
      store.threads.read(threadRecord()),
      store.threads.settle(threadRecord()),
      store.history.load('local'),
      store.history.save([sessionHistory()]),
      store.verdicts.load(),
      store.turnOffs.load('local'),
      store.optOuts.save([{ tenant: 'local', session: 's', isPending: true, usedAtMs: 1 }]),
    ];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_CLOSED' });
  });
}
