import { describe, expect, test } from 'vitest';
import type { SessionKey, Store } from '@quartermaster/store';
import type { Engine } from './contract.ts';
import { holdOf, idsOf, itemOf, key, makeSession, nothing, otherKeys, spentOf } from './session-records.ts';

const ofName = (session: string): SessionKey => ({ ...key, session });
const options = { title: 'A copy', atMs: 7_000 };

/** `one`, `two` with a call, `three` for sub-session `sub`, which has `below`, and `four`; each spends ten times more. */
async function makeFamily(store: Store): Promise<void> {
  await makeSession(store, key, { turn: 'turn' });
  await makeSession(store, ofName('sub'), { turn: 'turn', parent: 'ses' });
  await makeSession(store, ofName('below'), { turn: 'turn', parent: 'sub' });
  await makeSession(store, ofName('unnamed'), { turn: 'turn', parent: 'ses' });
  const append = async (session: string, id: string, inputTokens: number, subSession?: string) => {
    const request = { id: `request of ${id}`, contentHash: 'hash' };
    const item = itemOf(id, { ...(subSession !== undefined && { type: 'sub-session', subSession }) });
    await store.sessions.append(ofName(session), 'turn', [item], { request, spent: spentOf(inputTokens) });
    await store.sessions.startCall(ofName(session), 'turn', { item: id, index: 0 });
    await store.sessions.endCall(ofName(session), 'turn', { item: id, index: 0 }, `"${id}"`);
  };
  await append('ses', 'one', 1);
  await append('ses', 'two', 10);
  await append('below', 'deep', 10_000);
  await append('sub', 'inner', 1_000, 'below');
  await append('ses', 'three', 100, 'sub');
  await append('ses', 'four', 100_000);
  await append('unnamed', 'stray', 1_000_000);
  for (const session of ['ses', 'sub']) {
    await store.tasks.savePlan(ofName(session), `plan of ${session}`);
    await store.tasks.saveTasks(ofName(session), [{ title: `task of ${session}`, status: 'done' }]);
  }
}

/** All that is stored of a session, the hold apart. */
async function everythingOf(store: Store, session: string): Promise<unknown> {
  const of = ofName(session);
  return {
    record: await store.sessions.read(of),
    items: await store.sessions.items(of),
    calls: await store.sessions.calls(of),
    plan: await store.tasks.readPlan(of),
    tasks: await store.tasks.readTasks(of),
    deferrals: await store.sessions.readToolDeferrals(of),
  };
}

/** What every engine must do for copies of sessions (RS3), and for what they have deferred (session-deferral). */
export function sessionCopyContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: copies of sessions`, () => {
    wholeContract(createEngine);
    branchContract(createEngine);
  });
  describe(`${name}: deferral of sessions`, () => {
    deferralContract(createEngine);
  });
}

function wholeContract(createEngine: () => Promise<Engine>): void {
  test('RS3: a copy has the items, calls, sub-sessions, plan and tasks of its source under names of its own', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await makeFamily(store);
    expect(await store.sessions.copy(key, 'copy', options)).toBe(true);
    for (const [session, copy, parent, tokens] of [
      ['ses', 'copy', undefined, 111_111],
      ['sub', 'copy/sub', 'copy', 11_000],
      ['below', 'copy/below', 'copy/sub', 10_000],
    ] as const) {
      expect(await reader.sessions.read(ofName(copy))).toEqual({
        ...ofName(copy),
        title: session === 'ses' ? 'A copy' : '',
        origin: 'run',
        parent,
        createdAtMs: 7_000,
        updatedAtMs: 7_000,
        totals: spentOf(tokens),
      });
      const items = await reader.sessions.items(ofName(session));
      const renamed = items.map((item) =>
        item.subSession === undefined ? item : { ...item, subSession: `copy/${item.subSession}` },
      );
      expect(await reader.sessions.items(ofName(copy))).toEqual(renamed);
      expect(await reader.sessions.calls(ofName(copy))).toEqual(await reader.sessions.calls(ofName(session)));
      expect(await reader.tasks.readPlan(ofName(copy))).toBe(await reader.tasks.readPlan(ofName(session)));
      expect(await reader.tasks.readTasks(ofName(copy))).toEqual(
        await reader.tasks.readTasks(ofName(session)),
      );
    }
    expect(await reader.sessions.read(ofName('copy/unnamed'))).toBeUndefined();
    expect((await reader.sessions.list(key, { limit: 9 })).map(({ session }) => session)).toEqual([
      'copy',
      'ses',
    ]);
  });

  test('RS3: a copy and its source go on apart, sub-sessions too', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await store.sessions.copy(key, 'copy', options);
    const before = await Promise.all(['ses', 'sub'].map((session) => everythingOf(store, session)));
    for (const session of ['copy', 'copy/sub']) {
      expect(await store.sessions.beginTurn(ofName(session), holdOf('next'))).toEqual({ type: 'begun' });
      await store.sessions.append(ofName(session), 'next', [itemOf('five')], { spent: spentOf(5) });
      await store.sessions.startCall(ofName(session), 'next', { item: 'five', index: 0 });
      await store.tasks.savePlan(ofName(session), 'another plan');
    }
    expect(await Promise.all(['ses', 'sub'].map((session) => everythingOf(store, session)))).toEqual(before);
    expect(await store.sessions.read(ofName('copy'))).toMatchObject({ totals: spentOf(111_121) });
    const copies = await Promise.all(
      ['copy', 'copy/sub', 'copy/below'].map((session) => everythingOf(store, session)),
    );
    await store.sessions.delete(key);
    expect(
      await Promise.all(['copy', 'copy/sub', 'copy/below'].map((session) => everythingOf(store, session))),
    ).toEqual(copies);
  });

  test('RS4: receipts stay with the source: its requests may be sent to a copy', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await store.sessions.copy(key, 'copy', options);
    await store.sessions.beginTurn(ofName('copy'), holdOf('next'));
    const request = { id: 'request of one', contentHash: 'another hash' };
    expect(await store.sessions.append(ofName('copy'), 'next', [itemOf('five')], { request })).toEqual({
      type: 'appended',
    });
    expect(await store.sessions.append(key, 'turn', [itemOf('five')], { request })).toEqual({
      type: 'conflict',
    });
  });

  test('RS3: a copy of a copy names its sub-sessions after itself, and a copy of a sub-session is one of its own', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await store.sessions.copy(key, 'copy', options);
    expect(await store.sessions.copy(ofName('copy'), 'again', options)).toBe(true);
    expect((await store.sessions.items(ofName('again')))[2]?.subSession).toBe('again/sub');
    expect(await store.sessions.read(ofName('again/below'))).toMatchObject({ parent: 'again/sub' });
    expect(await store.sessions.copy(ofName('sub'), 'top', options)).toBe(true);
    expect(await store.sessions.read(ofName('top'))).toMatchObject({
      parent: undefined,
      totals: spentOf(11_000),
    });
    expect(await idsOf(store, ofName('top/below'))).toEqual(['deep']);
  });

  test('a copy of nothing, or to a name that is taken, is not made and changes nothing', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await makeSession(store, ofName('other'));
    await makeSession(store, ofName('clash/sub'));
    const names = ['ses', 'sub', 'other', 'clash/sub'];
    const before = await Promise.all(names.map((session) => everythingOf(store, session)));
    for (const to of ['other', 'ses', 'sub', 'clash'])
      expect(await store.sessions.copy(key, to, options)).toBe(false);
    expect(await store.sessions.copy(ofName('none'), 'ses', options)).toBe(false);
    expect(await store.sessions.copy(ofName('none'), 'new', { ...options, beforePosition: 3 })).toBe(false);
    expect(await Promise.all(names.map((session) => everythingOf(store, session)))).toEqual(before);
    for (const name of ['clash', 'new', 'other/sub'])
      expect(await store.sessions.read(ofName(name))).toBeUndefined();
  });

  test('RS5: a copy takes nothing of a session that is named alike, nor of one that is not its own sub-session', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    for (const other of otherKeys) {
      await makeSession(store, other, { turn: 'turn' });
      await store.sessions.append(other, 'turn', [itemOf('theirs')], { spent: spentOf(5) });
    }
    await store.sessions.append(key, 'turn', [itemOf('ours', { type: 'sub-session', subSession: 'ses2' })]);
    await store.sessions.copy(key, 'copy', options);
    expect(await idsOf(store, ofName('copy'))).toEqual(['ours']);
    expect(await store.sessions.read(ofName('copy'))).toMatchObject({ totals: nothing });
    expect(await store.sessions.read(ofName('copy/ses2'))).toBeUndefined();
    for (const other of otherKeys) {
      expect(await store.sessions.read({ ...other, session: 'copy' })).toEqual(
        other.session === 'ses2' ? await store.sessions.read(ofName('copy')) : undefined,
      );
    }
  });

  test('RS3: a copy that is made while a turn writes has whole appends only', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    const writes = Array.from({ length: 40 }, (_, index) =>
      store.sessions.append(key, 'turn', [itemOf(`${index}-call`), itemOf(`${index}-result`)], {
        spent: spentOf(1),
      }),
    );
    const copies = Array.from({ length: 10 }, (_, index) => `copy-${index}`);
    await Promise.all(copies.map((to) => other.sessions.copy(key, to, options)));
    await Promise.all(writes);
    const source = await idsOf(store);
    for (const copy of copies) {
      const ids = await idsOf(other, ofName(copy));
      expect(ids).toEqual(source.slice(0, ids.length));
      expect(ids.length % 2).toBe(0);
      expect(await other.sessions.read(ofName(copy))).toMatchObject({ totals: spentOf(ids.length / 2) });
    }
  });
}

function branchContract(createEngine: () => Promise<Engine>): void {
  test.for([
    [0, [], 0],
    [1, ['one'], 1],
    [2, ['one', 'two'], 11],
    [3, ['one', 'two', 'three'], 11_111],
    [4, ['one', 'two', 'three', 'four'], 111_111],
  ] as const)(
    'RS3: a branch before position %i has the items up to there, their calls and sub-sessions, and what these spent',
    async ([beforePosition, ids, tokens]) => {
      await using engine = await createEngine();
      const store = await engine.open();
      await makeFamily(store);
      expect(await store.sessions.copy(key, 'branch', { ...options, beforePosition })).toBe(true);
      expect(await idsOf(store, ofName('branch'))).toEqual(ids);
      expect((await store.sessions.calls(ofName('branch'))).map(({ item }) => item)).toEqual(ids);
      expect(await store.sessions.read(ofName('branch'))).toMatchObject({ totals: spentOf(tokens) });
      const hasSub = beforePosition > 2;
      expect((await store.sessions.read(ofName('branch/sub'))) !== undefined).toBe(hasSub);
      expect(await store.tasks.readPlan(ofName('branch/sub'))).toBe(hasSub ? 'plan of sub' : undefined);
      expect(await store.tasks.readPlan(ofName('branch'))).toBe(
        beforePosition === 4 ? 'plan of ses' : undefined,
      );
      expect(await store.tasks.readTasks(ofName('branch'))).toHaveLength(beforePosition === 4 ? 1 : 0);
    },
  );

  test.for([5, -1, 0.5, Number.NaN])(
    'RS3: no branch is made before position %f of a session of four',
    async (beforePosition) => {
      await using engine = await createEngine();
      const store = await engine.open();
      await makeFamily(store);
      const branch = store.sessions.copy(key, 'branch', { ...options, beforePosition });
      await expect(branch).rejects.toMatchObject({
        code: 'STORE_BAD_POSITION',
        message: `Expected a position from 0 to 4, the end of session ses; got ${beforePosition}.`,
      });
      expect(await store.sessions.read(ofName('branch'))).toBeUndefined();
    },
  );
}

function deferralContract(createEngine: () => Promise<Engine>): void {
  const first = { digest: 'first', declaration: '{"name":"first"}' };
  const second = { digest: 'second', declaration: '{"name":"second"}' };

  test('DP1: a session has no baseline until one is saved; declarations add up and are read with the state', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    expect(await reader.sessions.readToolDeferrals(key)).toBeUndefined();
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '"empty"', declarations: [] });
    expect(await reader.sessions.readToolDeferrals(key)).toEqual({ state: '"empty"', declarations: [] });
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '"one"', declarations: [first] });
    await store.sessions.append(key, 'turn', [itemOf('one')], {
      toolDeferrals: { state: '"two"', declarations: [first, second] },
    });
    expect(await reader.sessions.readToolDeferrals(key)).toEqual({
      state: '"two"',
      declarations: [first, second],
    });
    expect(await reader.sessions.readToolDeferrals(ofName('none'))).toBeUndefined();
  });

  test('DP1: sessions of a user share a declaration until the last that names it is gone; users share none', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const another = { digest: 'first', declaration: '{"name":"another"}' };
    const bob = { ...key, user: 'bob' };
    const readFirst = async (of: SessionKey) =>
      (await store.sessions.readToolDeferrals(of))?.declarations[0]?.declaration;
    for (const of of [key, ofName('ses2'), ofName('ses3'), bob])
      await makeSession(store, of, { turn: 'turn' });
    await store.sessions.saveToolDeferrals(bob, 'turn', { state: '{}', declarations: [another] });
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '{}', declarations: [first] });
    await store.sessions.saveToolDeferrals(ofName('ses2'), 'turn', { state: '{}', declarations: [another] });
    expect([await readFirst(bob), await readFirst(ofName('ses2'))]).toEqual([
      another.declaration,
      first.declaration,
    ]);
    await store.sessions.delete(key);
    expect(await readFirst(ofName('ses2'))).toBe(first.declaration);
    await store.sessions.append(ofName('ses2'), 'turn', [itemOf('s', { type: 'summary' })], {
      toolDeferrals: null,
    });
    await store.sessions.saveToolDeferrals(ofName('ses3'), 'turn', { state: '{}', declarations: [another] });
    expect(await readFirst(ofName('ses3'))).toBe(another.declaration);
  });

  test('DP3: a compaction and the reset that it causes are saved together or not at all', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    const deferrals = { state: '"baseline"', declarations: [first] };
    await store.sessions.append(key, 'turn', [itemOf('one')], { toolDeferrals: deferrals });
    const summary = itemOf('summary', { type: 'summary' });
    const failed = store.sessions.append(key, 'turn', [summary, itemOf('one')], { toolDeferrals: null });
    await expect(failed).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await store.sessions.readToolDeferrals(key)).toEqual(deferrals);
    await store.sessions.append(key, 'turn', [summary], { toolDeferrals: null });
    expect(await idsOf(store)).toEqual(['one', 'summary']);
    expect(await store.sessions.readToolDeferrals(key)).toBeUndefined();
  });

  test('DP4: a state that is set aside is no baseline, and a new one may be saved', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.setToolDeferralsAside(key, 'turn');
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '{torn', declarations: [] });
    await store.sessions.setToolDeferralsAside(key, 'turn');
    expect(await store.sessions.readToolDeferrals(key)).toBeUndefined();
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '"new"', declarations: [second] });
    expect(await store.sessions.readToolDeferrals(key)).toEqual({ state: '"new"', declarations: [second] });
  });

  test('DP2: a copy has the state and declarations of its source, also after that is gone; sub-sessions too', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '"ses"', declarations: [first] });
    await store.sessions.saveToolDeferrals(ofName('sub'), 'turn', { state: '"sub"', declarations: [second] });
    await store.sessions.copy(key, 'copy', options);
    await store.sessions.append(key, 'turn', [itemOf('s', { type: 'summary' })], { toolDeferrals: null });
    await store.sessions.delete(key);
    expect(await store.sessions.readToolDeferrals(ofName('copy'))).toEqual({
      state: '"ses"',
      declarations: [first],
    });
    expect(await store.sessions.readToolDeferrals(ofName('copy/sub'))).toEqual({
      state: '"sub"',
      declarations: [second],
    });
  });

  test('DP2: a branch has the state only where it still is the one that was found to hold for it', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeFamily(store);
    await store.sessions.saveToolDeferrals(key, 'turn', { state: '"ses"', declarations: [first] });
    await store.sessions.saveToolDeferrals(ofName('sub'), 'turn', { state: '"sub"', declarations: [second] });
    const branch = { ...options, beforePosition: 3 };
    await store.sessions.copy(key, 'with', { ...branch, toolDeferrals: '"ses"' });
    await store.sessions.copy(key, 'changed', { ...branch, toolDeferrals: '"before"' });
    await store.sessions.copy(key, 'without', branch);
    expect(await store.sessions.readToolDeferrals(ofName('with'))).toEqual({
      state: '"ses"',
      declarations: [first],
    });
    for (const session of ['changed', 'without']) {
      expect(await store.sessions.readToolDeferrals(ofName(session))).toBeUndefined();
      expect(await store.sessions.readToolDeferrals(ofName(`${session}/sub`))).toMatchObject({
        state: '"sub"',
      });
    }
  });
}
