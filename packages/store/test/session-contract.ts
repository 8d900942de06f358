import { describe, expect, test } from 'vitest';
import type { SessionItem, SessionRecord } from '@quartermaster/store';
import type { Engine } from './contract.ts';
import {
  holdOf,
  idsOf,
  itemOf,
  key,
  makeFamily,
  makeSession,
  nothing,
  otherKeys,
  spentOf,
} from './session-records.ts';

/** What every engine must do for sessions (RS1, RS4, RS5, L1). */
export function sessionContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: sessions`, () => {
    lifeContract(createEngine);
  });
  describe(`${name}: items of sessions`, () => {
    itemContract(createEngine);
  });
  describe(`${name}: turns of sessions`, () => {
    turnContract(createEngine);
  });
  describe(`${name}: calls of sessions`, () => {
    callContract(createEngine);
  });
}

function lifeContract(createEngine: () => Promise<Engine>): void {
  test('a session is made once, and read by every opener with nothing spent', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const session = { ...key, title: 'First', origin: 'chat', parent: undefined, createdAtMs: 500 };
    expect(await store.sessions.read(key)).toBeUndefined();
    expect(await store.sessions.create(session)).toBe(true);
    expect(await reader.sessions.create({ ...session, title: 'Second' })).toBe(false);
    expect(await reader.sessions.read(key)).toEqual({ ...session, updatedAtMs: 500, totals: nothing });
    expect(await reader.sessions.items(key)).toEqual([]);
    expect(await reader.sessions.calls(key)).toEqual([]);
  });

  test('case 135: a name that holds half a character is nobody’s, since a store would take it for another', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const half = '\ud800';
    const fresh = { title: '', origin: 'run', parent: undefined, createdAtMs: 1 };
    const refused = { code: 'STORE_BAD_NAME' };
    for (const of of [{ app: half }, { user: half }, { session: half }].map((part) => ({
      ...key,
      ...part,
    }))) {
      await expect(store.sessions.create({ ...of, ...fresh })).rejects.toMatchObject(refused);
      await expect(store.sessions.read(of)).rejects.toMatchObject(refused);
      await expect(store.tasks.savePlan(of, 'plan')).rejects.toMatchObject(refused);
      await expect(store.sessions.beginTurn(of, holdOf('turn'))).rejects.toMatchObject(refused);
      await expect(store.sessions.setToolDeferralsAside(of, 'turn')).rejects.toMatchObject(refused);
    }
    const user = { app: 'app', user: half };
    await expect(store.sessions.list(user, { limit: 1 })).rejects.toMatchObject(refused);
    await expect(store.memory.list(user)).rejects.toMatchObject(refused);
    const memory = { id: '1', text: '', words: '', rememberedAtMs: 1 };
    await expect(store.memory.save(user, memory)).rejects.toMatchObject(refused);
    const owner = { app: 'app', kind: 'user', id: half } as const;
    await expect(store.knowledge.search(owner, ['a'], 1)).rejects.toMatchObject(refused);
  });

  test('RS5: app, user and session each tell sessions apart, in all that is read and changed', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    for (const other of otherKeys) await makeSession(store, other, { turn: 'turn' });
    await store.sessions.append(key, 'turn', [itemOf('one')], {
      request: { id: 'request', contentHash: 'hash' },
      spent: spentOf(5),
      toolDeferrals: { state: '{}', declarations: [{ digest: 'd', declaration: '{}' }] },
    });
    await store.sessions.startCall(key, 'turn', { item: 'one', index: 0 });
    await store.sessions.rename(key, 'Ours');
    await store.tasks.savePlan(key, 'our plan');
    for (const other of otherKeys) {
      expect(await store.sessions.read(other)).toMatchObject({
        title: '',
        totals: nothing,
        updatedAtMs: 500,
      });
      expect(await store.sessions.items(other)).toEqual([]);
      expect(await store.sessions.calls(other)).toEqual([]);
      expect(await store.sessions.readToolDeferrals(other)).toBeUndefined();
      await store.sessions.append(other, 'turn', [itemOf('one')], {
        request: { id: 'request', contentHash: 'other' },
      });
      await store.sessions.startCall(other, 'turn', { item: 'one', index: 0 });
      await store.sessions.endCall(other, 'turn', { item: 'one', index: 0 }, '"theirs"');
      await store.sessions.rename(other, 'Theirs');
      await store.sessions.setToolDeferralsAside(other, 'turn');
      await store.sessions.endTurn(other, 'turn');
      await store.sessions.delete(other);
    }
    expect(await store.sessions.read(key)).toMatchObject({ title: 'Ours', totals: spentOf(5) });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await store.sessions.calls(key)).toEqual([{ item: 'one', index: 0, result: undefined }]);
    expect(await store.sessions.readToolDeferrals(key)).toMatchObject({ declarations: [{ digest: 'd' }] });
    expect(await store.tasks.readPlan(key)).toBe('our plan');
    expect(await store.sessions.renewTurn(key, holdOf('turn'))).toBe(true);
  });

  test('the list of a user has the last used first, a page at a time, and no sub-session (RS1)', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const names = ['a', 'b', 'c', 'd'];
    for (const session of names) await makeSession(store, { ...key, session }, { turn: 'turn' });
    await makeSession(store, { ...key, session: 'sub' }, { turn: 'turn', parent: 'a' });
    for (const other of otherKeys.slice(0, 2)) await makeSession(store, other);
    for (const [session, atMs] of [
      ['b', 900],
      ['a', 800],
    ] as const) {
      await store.sessions.append({ ...key, session }, 'turn', [itemOf('one', { atMs })]);
    }
    const all = await store.sessions.list(key, { limit: 10 });
    expect(all.map(({ session }) => session)).toEqual(['b', 'a', 'd', 'c']);
    expect(all[0]).toEqual(await store.sessions.read({ ...key, session: 'b' }));
    const pages: (readonly SessionRecord[])[] = [];
    for (let before: SessionRecord | undefined; ; before = pages.at(-1)?.at(-1)) {
      const page = await store.sessions.list(key, { limit: 1, ...(before && { before }) });
      if (page.length === 0) break;
      pages.push(page);
    }
    expect(pages.flat()).toEqual(all);
  });

  test('a session has a new title until it is gone', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store);
    expect(await store.sessions.rename(key, 'Second')).toBe(true);
    expect(await store.sessions.read(key)).toMatchObject({ title: 'Second', updatedAtMs: 500 });
    await store.sessions.delete(key);
    expect(await store.sessions.rename(key, 'Third')).toBe(false);
  });

  test('RS1: a sub-session is one of its parent, in no list, and its totals count in those of all above it', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const { sub, below } = await makeFamily(store);
    await store.sessions.append(key, 'turn', [itemOf('one')], { spent: spentOf(1, 0.5) });
    await store.sessions.append(sub, 'turn', [itemOf('one')], { spent: spentOf(10, 0.25) });
    await store.sessions.append(below, 'turn', [itemOf('one', { atMs: 2_000 })], {
      spent: {
        inputTokens: 100,
        cacheReadTokens: 1,
        cacheWriteTokens: 2,
        outputTokens: 3,
        costUsd: 1,
        unpricedAnswers: 4,
      },
    });
    const below100 = { cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 3, unpricedAnswers: 4 };
    expect(await store.sessions.read(key)).toMatchObject({
      updatedAtMs: 2_000,
      totals: { ...below100, inputTokens: 111, costUsd: 1.75 },
    });
    expect(await store.sessions.read(sub)).toMatchObject({
      parent: 'ses',
      totals: { ...below100, inputTokens: 110, costUsd: 1.25 },
    });
    expect((await store.sessions.list(key, { limit: 9 })).map(({ session }) => session)).toEqual(['ses']);
  });

  test('a sub-session of nobody, or of another user’s session, is not made', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, { ...key, user: 'bob' }, { turn: 'turn' });
    const sub = { ...key, session: 'sub', title: '', origin: 'run', parent: 'ses', createdAtMs: 1 };
    expect(await store.sessions.create(sub, { turn: 'turn' })).toBe(false);
    expect(await store.sessions.read(sub)).toBeUndefined();
  });

  test('L1: a turn that lost a session makes no sub-session of it, and writes nothing into those that it had', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const { below } = await makeFamily(store);
    await store.sessions.append(below, 'turn', [itemOf('one')]);
    await store.sessions.takeTurn(key, holdOf('next'), { turn: 'turn' });

    const late = { ...key, session: 'late', title: '', origin: 'run', createdAtMs: 1 };
    expect(await store.sessions.create({ ...late, parent: 'ses' }, { turn: 'turn' })).toBe(false);
    expect(await store.sessions.create({ ...late, parent: 'sub' }, { turn: 'turn' })).toBe(false);
    expect(await store.sessions.renewTurn(below, holdOf('turn'))).toBe(false);
    const lost = { code: 'STORE_TURN_LOST' };
    await expect(store.sessions.append(below, 'turn', [itemOf('two')])).rejects.toMatchObject(lost);
    const call = { item: 'one', index: 0 };
    await expect(store.sessions.startCall(below, 'turn', call)).rejects.toMatchObject(lost);
    expect(await idsOf(store, below)).toEqual(['one']);
    await store.sessions.endTurn(below, 'turn');
    expect(await store.sessions.beginTurn(below, holdOf('another'))).toEqual({ type: 'begun' });
  });

  test('a deleted session takes its sub-sessions, items, calls, receipts, plans and tasks along, and no other’s', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const family = [key, { ...key, session: 'sub' }, { ...key, session: 'below' }];
    const kept = { ...key, session: 'kept' };
    for (const [index, one] of [...family, kept].entries()) {
      await makeSession(store, one, {
        turn: 'turn',
        ...(index % 3 > 0 && { parent: family[index - 1]?.session ?? '' }),
      });
      await store.sessions.append(one, 'turn', [itemOf('one')], {
        request: { id: 'request', contentHash: 'hash' },
      });
      await store.sessions.startCall(one, 'turn', { item: 'one', index: 0 });
      await store.tasks.savePlan(one, 'plan');
      await store.tasks.saveTasks(one, [{ title: 'task', status: 'pending' }]);
    }
    expect(await store.sessions.delete(key)).toBe(true);
    expect(await store.sessions.delete(key)).toBe(false);
    for (const one of family) {
      expect(await reader.sessions.read(one)).toBeUndefined();
      await makeSession(store, one, { turn: 'turn' });
      expect(await reader.sessions.items(one)).toEqual([]);
      expect(await reader.sessions.calls(one)).toEqual([]);
      expect(await reader.tasks.readPlan(one)).toBeUndefined();
      expect(await reader.tasks.readTasks(one)).toEqual([]);
      const again = { request: { id: 'request', contentHash: 'another hash' } };
      expect(await store.sessions.append(one, 'turn', [itemOf('one')], again)).toEqual({ type: 'appended' });
    }
    expect(await idsOf(reader, kept)).toEqual(['one']);
    expect(await reader.sessions.calls(kept)).toHaveLength(1);
    expect(await reader.tasks.readPlan(kept)).toBe('plan');
    expect(await reader.tasks.readTasks(kept)).toHaveLength(1);
  });

  test('a session that is deleted while a turn runs stays deleted: the turn’s next write is refused', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.append(key, 'turn', [itemOf('one')]);
    await other.sessions.delete(key);
    const lost = { name: 'StoreError', code: 'STORE_TURN_LOST' };
    await expect(store.sessions.append(key, 'turn', [itemOf('two')])).rejects.toMatchObject(lost);
    await expect(store.sessions.startCall(key, 'turn', { item: 'one', index: 0 })).rejects.toMatchObject(
      lost,
    );
    await expect(
      store.sessions.saveToolDeferrals(key, 'turn', { state: '{}', declarations: [] }),
    ).rejects.toMatchObject(lost);
    expect(await store.sessions.beginTurn(key, holdOf('next'))).toEqual({ type: 'missing' });
    expect(await store.sessions.renewTurn(key, holdOf('turn'))).toBe(false);
    expect(await store.sessions.read(key)).toBeUndefined();
    expect(await store.sessions.items(key)).toEqual([]);
  });
}

function itemContract(createEngine: () => Promise<Engine>): void {
  test('RS1: items stand in the order they were appended, at 0, 1, 2… without a gap, and come back as they were', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    const items: readonly SessionItem[] = [
      itemOf('z'),
      itemOf('a', { type: 'sub-session', subSession: 'sub', atMs: 3 }),
      itemOf('ü', { type: 'summary', body: '{"text":"\u0000 \\ud800 \u{1f600} \' --"}' }),
      itemOf('b', { type: 'error', body: '' }),
    ];
    await store.sessions.append(key, 'turn', items.slice(0, 3));
    await store.sessions.append(key, 'turn', []);
    await store.sessions.append(key, 'turn', items.slice(3));
    const stored = items.map((item, position) => ({ ...item, position }));
    expect(await reader.sessions.items(key)).toEqual(stored);
    expect(await reader.sessions.items(key, { fromPosition: 2 })).toEqual(stored.slice(2));
    expect(await reader.sessions.items(key, { fromPosition: 1, limit: 2 })).toEqual(stored.slice(1, 3));
    expect(await reader.sessions.items(key, { fromPosition: 9 })).toEqual([]);
  });

  test('RS1: all items of an append are there or none, and none is ever replaced', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.append(key, 'turn', [itemOf('one')], { spent: spentOf(1) });
    const taken = store.sessions.append(key, 'turn', [itemOf('two'), itemOf('one', { body: '"changed"' })], {
      request: { id: 'request', contentHash: 'hash' },
      spent: spentOf(10),
    });
    await expect(taken).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await store.sessions.items(key)).toEqual([{ ...itemOf('one'), position: 0 }]);
    expect(await store.sessions.read(key)).toMatchObject({ totals: spentOf(1) });
    const again = { request: { id: 'request', contentHash: 'hash' } };
    expect(await store.sessions.append(key, 'turn', [itemOf('two')], again)).toEqual({ type: 'appended' });
    expect(await idsOf(store)).toEqual(['one', 'two']);
  });

  test('RS4: an append that names its request is done once, whichever turn repeats it', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    const options = { request: { id: 'request', contentHash: 'hash' }, spent: spentOf(7) };
    expect(await store.sessions.append(key, 'turn', [itemOf('one')], options)).toEqual({ type: 'appended' });
    expect(await store.sessions.append(key, 'turn', [itemOf('two')], options)).toEqual({ type: 'repeated' });
    await store.sessions.endTurn(key, 'turn');
    await other.sessions.beginTurn(key, holdOf('next'));
    expect(await other.sessions.append(key, 'next', [itemOf('three')], options)).toEqual({
      type: 'repeated',
    });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await store.sessions.read(key)).toMatchObject({ totals: spentOf(7) });
  });

  test('RS4: a request of the same id with another content is a conflict, and nothing is written', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.append(key, 'turn', [itemOf('one')], {
      request: { id: 'request', contentHash: 'hash' },
    });
    const other = { request: { id: 'request', contentHash: 'another hash' }, spent: spentOf(7) };
    expect(await store.sessions.append(key, 'turn', [itemOf('two')], other)).toEqual({ type: 'conflict' });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await store.sessions.read(key)).toMatchObject({ totals: nothing });
    const next = { request: { id: 'next', contentHash: 'hash' } };
    expect(await store.sessions.append(key, 'turn', [itemOf('two')], next)).toEqual({ type: 'appended' });
  });

  test('a session of 10,000 items is read whole, in order', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    const ids = Array.from({ length: 10_000 }, (_, index) => `item-${index}`);
    await store.sessions.append(
      key,
      'turn',
      ids.map((id) => itemOf(id)),
    );
    const items = await store.sessions.items(key);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(items.at(-1)?.position).toBe(9_999);
  });
}

function turnContract(createEngine: () => Promise<Engine>): void {
  test('L1: one turn has the session; another is told which, whose and until when', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store);
    expect(await store.sessions.beginTurn(key, holdOf('first'))).toEqual({ type: 'begun' });
    const beganAtMs = Date.now();
    const busy = await other.sessions.beginTurn(key, holdOf('second'));
    expect(busy).toMatchObject({ type: 'busy', turn: 'first', owner: 'owner of first' });
    expect(busy.type === 'busy' && Math.abs(busy.endsAtMs - beganAtMs - 60_000)).toBeLessThan(5_000);
    expect(await store.sessions.beginTurn(key, holdOf('first'))).toEqual({ type: 'begun' });
    await other.sessions.endTurn(key, 'second');
    expect(await other.sessions.beginTurn(key, holdOf('second'))).toMatchObject({ type: 'busy' });
    await store.sessions.endTurn(key, 'first');
    expect(await other.sessions.beginTurn(key, holdOf('second'))).toEqual({ type: 'begun' });
    expect(await other.sessions.beginTurn({ ...key, session: 'none' }, holdOf('second'))).toEqual({
      type: 'missing',
    });
  });

  test('L1: of 40 turns that begin at once exactly one gets the session', async () => {
    await using engine = await createEngine();
    const stores = [await engine.open(), await engine.open()];
    const [first] = stores;
    if (first === undefined) throw new Error('Expected a store.');
    await makeSession(first);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores.map((store, at) => store.sessions.beginTurn(key, holdOf(`turn-${at}-${index}`))),
      ).flat(),
    );
    expect(outcomes.filter(({ type }) => type === 'begun')).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => (outcome.type === 'busy' ? outcome.turn : ''))).size).toBe(2);
  });

  test("L1: a lease that is over by the engine's clock is free to take, whatever the opener's clock says", async () => {
    await using engine = await createEngine();
    const store = await engine.open({ clock: { now: () => 0 } });
    await makeSession(store);
    await store.sessions.beginTurn(key, holdOf('dead', { leaseMs: 0 }));
    expect(await store.sessions.beginTurn(key, holdOf('next'))).toEqual({ type: 'begun' });
    expect(await store.sessions.beginTurn(key, holdOf('dead'))).toMatchObject({ type: 'busy', turn: 'next' });
  });

  test('L1: a turn whose lease is over may renew it and write, until another has taken the session', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store);
    await store.sessions.beginTurn(key, holdOf('slow', { leaseMs: 0 }));
    expect(await store.sessions.append(key, 'slow', [itemOf('one')])).toEqual({ type: 'appended' });
    expect(await store.sessions.renewTurn(key, holdOf('slow'))).toBe(true);
    expect(await other.sessions.beginTurn(key, holdOf('next'))).toMatchObject({ type: 'busy', turn: 'slow' });
    expect(await store.sessions.renewTurn(key, holdOf('slow', { leaseMs: 0 }))).toBe(true);
    expect(await other.sessions.beginTurn(key, holdOf('next'))).toEqual({ type: 'begun' });
    expect(await store.sessions.renewTurn(key, holdOf('slow'))).toBe(false);
  });

  test('L1: a turn whose owner is gone is taken over before its lease is over, by the first who asks', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'dead' });
    expect(await store.sessions.takeTurn(key, holdOf('one'), { turn: 'not this' })).toMatchObject({
      type: 'busy',
    });
    expect(await store.sessions.takeTurn(key, holdOf('one'), { turn: 'dead' })).toEqual({ type: 'begun' });
    expect(await other.sessions.takeTurn(key, holdOf('two'), { turn: 'dead' })).toMatchObject({
      type: 'busy',
      turn: 'one',
      owner: 'owner of one',
    });
    await store.sessions.endTurn(key, 'one');
    expect(await other.sessions.takeTurn(key, holdOf('two'), { turn: 'dead' })).toEqual({ type: 'begun' });
  });

  test('L1: nothing that a turn writes counts once another has taken its session, and nothing of it is left', async () => {
    await using engine = await createEngine();
    const [store, other] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'dead' });
    await store.sessions.append(key, 'dead', [itemOf('one')]);
    await store.sessions.startCall(key, 'dead', { item: 'one', index: 0 });
    await store.sessions.saveToolDeferrals(key, 'dead', { state: '"before"', declarations: [] });
    await other.sessions.takeTurn(key, holdOf('next'), { turn: 'dead' });
    const before = await other.sessions.read(key);
    const deferrals = { state: '"after"', declarations: [{ digest: 'd', declaration: '{}' }] };
    const writes = [
      () => store.sessions.append(key, 'dead', [itemOf('two', { atMs: 9_000 })], { spent: spentOf(1) }),
      () => store.sessions.append(key, 'dead', []),
      () =>
        store.sessions.append(key, 'dead', [itemOf('two')], {
          request: { id: 'request', contentHash: 'hash' },
          spent: spentOf(1),
          toolDeferrals: deferrals,
        }),
      () => store.sessions.append(key, 'dead', [itemOf('two')], { toolDeferrals: null }),
      () => store.sessions.startCall(key, 'dead', { item: 'one', index: 1 }),
      () => store.sessions.endCall(key, 'dead', { item: 'one', index: 0 }, '"late"'),
      () => store.sessions.saveToolDeferrals(key, 'dead', deferrals),
      () => store.sessions.setToolDeferralsAside(key, 'dead'),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'STORE_TURN_LOST' });
    expect(await other.sessions.read(key)).toEqual(before);
    expect(await idsOf(other)).toEqual(['one']);
    expect(await other.sessions.calls(key)).toEqual([{ item: 'one', index: 0, result: undefined }]);
    expect(await other.sessions.readToolDeferrals(key)).toEqual({ state: '"before"', declarations: [] });
    const again = { request: { id: 'request', contentHash: 'another hash' } };
    expect(await other.sessions.append(key, 'next', [itemOf('two')], again)).toEqual({ type: 'appended' });
  });

  test('L1: a turn that ended writes nothing any more', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.endTurn(key, 'turn');
    const write = store.sessions.append(key, 'turn', [itemOf('one')]);
    await expect(write).rejects.toThrow('Expected turn turn to hold session ses');
    expect(await store.sessions.renewTurn(key, holdOf('turn'))).toBe(false);
    expect(await store.sessions.items(key)).toEqual([]);
  });
}

function callContract(createEngine: () => Promise<Engine>): void {
  test('a call has begun, then has a result, and the first result stands', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await makeSession(store, key, { turn: 'turn' });
    await store.sessions.append(key, 'turn', [itemOf('z'), itemOf('a')]);
    await store.sessions.startCall(key, 'turn', { item: 'a', index: 0 });
    await store.sessions.startCall(key, 'turn', { item: 'z', index: 10 });
    await store.sessions.startCall(key, 'turn', { item: 'z', index: 2 });
    await store.sessions.endCall(key, 'turn', { item: 'z', index: 2 }, '"first"');
    await store.sessions.endCall(key, 'turn', { item: 'z', index: 2 }, '"second"');
    await store.sessions.startCall(key, 'turn', { item: 'z', index: 2 });
    await store.sessions.endCall(key, 'turn', { item: 'a', index: 1 }, '"refused"');
    expect(await reader.sessions.calls(key)).toEqual([
      { item: 'z', index: 2, result: '"first"' },
      { item: 'z', index: 10, result: undefined },
      { item: 'a', index: 0, result: undefined },
      { item: 'a', index: 1, result: '"refused"' },
    ]);
  });

  test('a call of an item that was not appended is refused', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await makeSession(store, key, { turn: 'turn' });
    const call = store.sessions.startCall(key, 'turn', { item: 'none', index: 0 });
    await expect(call).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await store.sessions.calls(key)).toEqual([]);
  });
}
