import { randomUUID } from 'node:crypto';
import type { Store, ThreadKey, ThreadStore } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import type { Log } from '../src/index.ts';
import { type Decision, parseDecision, printDecision } from '../src/threads/decision.ts';
import type { ThreadQuestion } from '../src/threads/question.ts';
import { createThreads, type Threads } from '../src/threads/threads.ts';
import { openTemporaryStore } from './support/gateway.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const key: ThreadKey = { tenant: 'local', session: 's', agent: 'main' };
const defer: Decision = {
  type: 'defer',
  units: ['Alpha'],
  namesList: 'names',
  namesPlace: 'own-system-message',
  searchTool: '{}',
  deferredTokensO200k: 300,
  reasons: { Alpha: 'deferred' },
};
const nothing: Decision = { type: 'nothing', reason: 'unchecked' };

type Stores = Pick<Store, 'threads' | 'openings'>;

function threadsOver(store: Stores | undefined, clock: { now(): number } = Date): Threads {
  return createThreads({
    store,
    clock,
    ids: randomUUID,
    log: silent,
    claimMs: 1_000,
    readMs: 1_000,
    rereadMs: 1_000,
  });
}

function ask(over: Partial<ThreadQuestion> = {}): ThreadQuestion {
  return {
    key,
    persistence: 'claim',
    hasAssistantTurns: false,
    hasBoundThinking: false,
    opening: () => undefined,
    openingShape: undefined,
    decide: () => defer,
    ...over,
  };
}

/** The store with some of its thread methods replaced: a real one that is slow or failing there. */
function withThreads(store: Store, replaced: Partial<ThreadStore>): Stores {
  return { threads: { ...store.threads, ...replaced }, openings: store.openings };
}

const forever = <Answer>(): Promise<Answer> => new Promise<Answer>(() => {});

describe('O1', () => {
  test('O1: a decision is in the store when it is handed out', async () => {
    await using temporary = await openTemporaryStore();
    const answer = await threadsOver(temporary.store).decisionFor(ask());
    expect(answer).toEqual({ type: 'decided', decision: defer, isNew: true });
    const record = await temporary.store.threads.read(key);
    expect(parseDecision(record?.decision ?? '')).toEqual(defer);
  });

  test('O1: unconfirmed means "nothing" for life, and the attempt’s own row becomes that', async () => {
    await using temporary = await openTemporaryStore();
    const settled = Promise.withResolvers<void>();
    const { store } = temporary;
    const threads = threadsOver(
      withThreads(store, {
        // The row gets in, but its confirmation does not come back in time.
        claim: async (record, options) => {
          await store.threads.claim(record, options);
          return { type: 'unconfirmed', attempt: record.attempt };
        },
        settle: async (record) => {
          await store.threads.settle(record);
          settled.resolve();
        },
      }),
    );
    const first = await threads.decisionFor(ask());
    expect(first).toMatchObject({ decision: { type: 'nothing', reason: 'claim-unconfirmed' } });
    await settled.promise;
    const record = await store.threads.read(key);
    expect(parseDecision(record?.decision ?? '')).toMatchObject({ type: 'nothing' });
    expect(await threads.decisionFor(ask())).toMatchObject({ decision: { type: 'nothing' } });
    await threads.close();
  });

  test('O1: the overwriting is under way before the request goes on: another gateway may read the row', async () => {
    await using temporary = await openTemporaryStore();
    const settled: string[] = [];
    const threads = threadsOver(
      withThreads(temporary.store, {
        claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }),
        settle: async ({ session }) => void settled.push(session),
      }),
    );
    await threads.decisionFor(ask());
    expect(settled).toEqual([key.session]);
    await threads.close();
  });

  test('O1: a failed overwriting is tried again until it is confirmed, at the latest at the end', async () => {
    await using temporary = await openTemporaryStore();
    let tries = 0;
    const threads = threadsOver(
      withThreads(temporary.store, {
        claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }),
        settle: async (record) => {
          tries += 1;
          if (tries < 2) throw new Error('locked');
          await temporary.store.threads.settle(record);
        },
      }),
    );
    await threads.decisionFor(ask());
    await threads.close();
    await threads.close();
    expect(parseDecision((await temporary.store.threads.read(key))?.decision ?? '')).toMatchObject({
      type: 'nothing',
    });
  });

  test('O1: the first requests of one thread at once make one decision', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    let decided = 0;
    const decide = (): Decision => {
      decided += 1;
      return defer;
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => threads.decisionFor(ask({ decide }))));
    expect(decided).toBe(1);
    expect(answers.filter((answer) => answer.type === 'decided' && answer.isNew)).toHaveLength(1);
  });
});

describe('O2', () => {
  test('O2: the first writer wins, and the second gateway does as the first', async () => {
    await using temporary = await openTemporaryStore();
    const [one, two] = [threadsOver(temporary.store), threadsOver(temporary.store)];
    const [first, second] = await Promise.all([
      one.decisionFor(ask({ decide: () => defer })),
      two.decisionFor(ask({ decide: () => nothing })),
    ]);
    expect(first).toMatchObject({ type: 'decided' });
    expect(second).toMatchObject({ decision: first.type === 'decided' ? first.decision : undefined });
  });

  test('O2: a restart finds the decision', async () => {
    await using temporary = await openTemporaryStore();
    await threadsOver(temporary.store).decisionFor(ask());
    const answer = await threadsOver(temporary.store).decisionFor(ask({ decide: () => nothing }));
    expect(answer).toEqual({ type: 'decided', decision: defer, isNew: false });
  });

  test('O2: where another attempt was first after all, its decision holds for the unconfirmed one too', async () => {
    await using temporary = await openTemporaryStore();
    const { store } = temporary;
    const settling = Promise.withResolvers<void>();
    const late = threadsOver(
      withThreads(store, {
        claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }),
        settle: async (record) => {
          await settling.promise;
          await store.threads.settle(record);
        },
      }),
    );
    expect(await late.decisionFor(ask())).toMatchObject({ decision: { type: 'nothing' } });
    await threadsOver(store).decisionFor(ask());
    settling.resolve();
    await late.close();
    expect(await late.decisionFor(ask())).toMatchObject({ decision: defer });
  });
});

describe('O3', () => {
  const late = (store: Store): Stores => withThreads(store, { read: () => forever() });
  const quick = {
    claimMs: 5,
    readMs: 5,
    rereadMs: 5,
    clock: { now: () => Date.now() },
    ids: randomUUID,
    log: silent,
  };

  test('O3: unreadable at a first request means the request goes as it came', async () => {
    await using temporary = await openTemporaryStore();
    const threads = createThreads({ ...quick, store: late(temporary.store) });
    expect(await threads.decisionFor(ask())).toEqual({ type: 'unreadable' });
    expect(await temporary.store.threads.read(key)).toBeUndefined();
  });

  test('O3: with bound thinking the client is asked to come again, three times', async () => {
    await using temporary = await openTemporaryStore();
    const threads = createThreads({ ...quick, store: late(temporary.store) });
    const question = ask({ hasAssistantTurns: true, hasBoundThinking: true });
    const answers: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) answers.push((await threads.decisionFor(question)).type);
    expect(answers).toEqual(['wait', 'wait', 'wait', 'unreadable', 'unreadable']);
  });

  test('O3: with assistant turns but no bound thinking it goes as it came at once', async () => {
    await using temporary = await openTemporaryStore();
    const threads = createThreads({ ...quick, store: late(temporary.store) });
    expect(await threads.decisionFor(ask({ hasAssistantTurns: true }))).toEqual({ type: 'unreadable' });
  });

  test('O3: it is tried at each request until it was read once, and then never again', async () => {
    await using temporary = await openTemporaryStore();
    await threadsOver(temporary.store).decisionFor(ask());
    let reads = 0;
    const store = withThreads(temporary.store, {
      read: async (wanted) => {
        reads += 1;
        if (reads < 3) throw new Error('locked');
        return temporary.store.threads.read(wanted);
      },
    });
    const threads = threadsOver(store);
    const answers: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const answer = await threads.decisionFor(ask({ decide: () => nothing }));
      answers.push(answer.type === 'decided' ? answer.decision.type : answer.type);
    }
    expect(answers).toEqual(['unreadable', 'unreadable', 'defer', 'defer']);
    expect(reads).toBe(3);
  });

  test('O3: what went as it came at its first request is "nothing" for life where there is no record', async () => {
    await using temporary = await openTemporaryStore();
    let isReadable = false;
    const threads = threadsOver(
      withThreads(temporary.store, {
        read: async (wanted) => {
          if (!isReadable) throw new Error('locked');
          return temporary.store.threads.read(wanted);
        },
      }),
    );
    expect(await threads.decisionFor(ask())).toEqual({ type: 'unreadable' });
    isReadable = true;
    const answer = await threads.decisionFor(ask({ hasAssistantTurns: true }));
    expect(answer).toMatchObject({ decision: { type: 'nothing', reason: 'record-unreadable' } });
  });

  test('O3: a record of a later version can’t be read, and is left as it is', async () => {
    await using temporary = await openTemporaryStore();
    const decision = JSON.stringify({ ...JSON.parse(printDecision(defer)), version: 99 });
    const record = { ...key, decision, decidedAtMs: Date.now(), attempt: 'a' };
    await temporary.store.threads.claim(record, { deadlineMs: Date.now() + 1_000 });
    const answer = await threadsOver(temporary.store).decisionFor(ask({ hasAssistantTurns: true }));
    expect(answer).toEqual({ type: 'unreadable' });
    expect((await temporary.store.threads.read(key))?.decision).toBe(decision);
  });
});

describe('O7', () => {
  test('O7: a preset that decides nothing new still honours the record of a live thread', async () => {
    await using temporary = await openTemporaryStore();
    await threadsOver(temporary.store).decisionFor(ask());
    const question = ask({ persistence: 'read', decide: () => nothing });
    expect(await threadsOver(temporary.store).decisionFor(question)).toMatchObject({
      decision: defer,
    });
    const other = { ...question, key: { ...key, session: 'other' } };
    expect(await threadsOver(temporary.store).decisionFor(other)).toMatchObject({
      decision: nothing,
    });
    expect(await temporary.store.threads.read(other.key)).toBeUndefined();
  });
});

test('O10: the records of threads in use are renewed, and only those', async () => {
  await using temporary = await openTemporaryStore();
  const threads = threadsOver(temporary.store);
  await threads.decisionFor(ask());
  await threads.decisionFor(ask({ key: { ...key, agent: 'idle' } }));
  await threads.flush();
  const later = Date.now() + 1_000_000;
  const reopened = createThreads({
    store: temporary.store,
    clock: { now: () => later },
    ids: randomUUID,
    log: silent,
    claimMs: 1_000,
    readMs: 1_000,
    rereadMs: 1_000,
  });
  await reopened.decisionFor(ask());
  await reopened.flush();
  expect(await temporary.store.threads.deleteUnusedSince(later)).toBe(1);
  expect(await temporary.store.threads.read(key)).toBeDefined();
});

test('O10: a renewal that could not be written is written at the next flush', async () => {
  await using temporary = await openTemporaryStore();
  const renewed: string[] = [];
  let isWritable = false;
  const threads = threadsOver(
    withThreads(temporary.store, {
      touch: async (keys) => {
        if (!isWritable) throw new Error('locked');
        renewed.push(...keys.map(({ session }) => session));
      },
    }),
  );
  await threads.decisionFor(ask());
  await expect(threads.flush()).rejects.toThrow('locked');
  isWritable = true;
  await threads.flush();
  await threads.flush();
  expect(renewed).toEqual([key.session]);
});

describe('O5', () => {
  const later = { hasAssistantTurns: true, opening: () => 'began so', openingShape: 'answer' };
  const fork = { ...later, key: { ...key, session: 'fork' } };

  test('O5: a fork inherits the decision of the thread that began as it did, and keeps it as its own', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask());
    await threads.decisionFor(ask(later));
    await threads.close();
    const restarted = threadsOver(temporary.store);
    const answer = await restarted.decisionFor(ask({ ...fork, decide: () => nothing }));
    expect(answer).toMatchObject({ decision: defer });
    expect(parseDecision((await temporary.store.threads.read(fork.key))?.decision ?? '')).toEqual(defer);
  });

  test('O5: a fork of a conversation that was left alone is left alone', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask({ ...later, decide: () => nothing }));
    await threads.close();
    expect(await threads.decisionFor(ask({ ...fork, decide: () => defer }))).toMatchObject({
      decision: nothing,
    });
  });

  test('O5: a fork inherits also where its own claim is not confirmed: it is durable under its opening', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask(later));
    await threads.close();
    const unsure = threadsOver(
      withThreads(temporary.store, { claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }) }),
    );
    expect(await unsure.decisionFor(ask({ ...fork, decide: () => nothing }))).toMatchObject({
      decision: defer,
    });
    await unsure.close();
    expect(parseDecision((await temporary.store.threads.read(fork.key))?.decision ?? '')).toEqual(defer);
  });

  test('O5: a thread that begins anew after a compaction is found by its new opening too', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask(later));
    const compacted = { hasAssistantTurns: true, opening: () => 'summed up so', openingShape: 'another' };
    await threads.decisionFor(ask(compacted));
    await threads.close();
    for (const opening of [later, compacted]) {
      const forked = ask({
        ...opening,
        key: { ...key, session: opening.openingShape },
        decide: () => nothing,
      });
      expect(await threads.decisionFor(forked)).toMatchObject({ decision: defer });
    }
  });

  test('O5: an opening that could not be written is written with a later request', async () => {
    await using temporary = await openTemporaryStore();
    const { store } = temporary;
    let isWritable = false;
    const threads = threadsOver({
      threads: store.threads,
      openings: {
        ...store.openings,
        save: async (record) => {
          if (!isWritable) throw new Error('locked');
          await store.openings.save(record);
        },
      },
    });
    await threads.decisionFor(ask(later));
    await threads.close();
    isWritable = true;
    await threads.decisionFor(ask(later));
    await threads.close();
    expect(await threads.decisionFor(ask({ ...fork, decide: () => nothing }))).toMatchObject({
      decision: defer,
    });
  });

  test('O5: another opening, another tenant or none that tells is decided anew', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask());
    await threads.decisionFor(ask(later));
    await threads.close();
    const strangers: Partial<ThreadQuestion>[] = [
      { ...fork, opening: () => 'began otherwise' },
      { ...fork, key: { ...key, tenant: 'local2', session: 'other' } },
      { ...fork, key: { ...key, session: 'third' }, opening: () => undefined },
    ];
    for (const stranger of strangers) {
      const answer = await threads.decisionFor(ask({ ...stranger, decide: () => nothing }));
      expect(answer).toMatchObject({ decision: nothing });
    }
  });
});

describe('O7: decisions that were ended', () => {
  const sessionOf = (session: string): Partial<ThreadQuestion> => ({ key: { ...key, session } });

  test('O7: an end makes the thread be decided anew, once, for whoever asks from then on', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    await threads.decisionFor(ask());
    const endedAtMs = Date.now() + 5;
    const again = ask({ endedAtMs, decide: () => nothing });
    expect(await threads.decisionFor(again)).toEqual({ type: 'decided', decision: nothing, isNew: true });
    expect(await threads.decisionFor(ask({ endedAtMs }))).toMatchObject({ decision: nothing, isNew: false });
    expect(await threadsOver(temporary.store).decisionFor(ask({ endedAtMs }))).toMatchObject({
      decision: nothing,
      isNew: false,
    });
  });

  test('O7: an end that is learnt of late ends what was read from the store before', async () => {
    await using temporary = await openTemporaryStore();
    await threadsOver(temporary.store).decisionFor(ask());
    const endedAtMs = Date.now() + 1;
    const laterMs = endedAtMs + 1_000;
    const threads = threadsOver(temporary.store, { now: () => laterMs });
    expect(await threads.decisionFor(ask())).toMatchObject({ decision: defer });
    const again = ask({ endedAtMs, decide: () => nothing });
    expect(await threads.decisionFor(again)).toMatchObject({ decision: nothing });
  });

  test('O7, FA4: a clock that jumped back to before the end does not end every decision again', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store, { now: () => Date.now() - 100 });
    const endedAtMs = Date.now() + 1_000;
    let decided = 0;
    const decide = (): Decision => {
      decided += 1;
      return defer;
    };
    for (let request = 0; request < 3; request += 1) await threads.decisionFor(ask({ endedAtMs, decide }));
    expect(decided).toBe(1);
  });

  test('O5, O7: an ended thread does not find its own old decision by its opening, though a fork may', async () => {
    await using temporary = await openTemporaryStore();
    const threads = threadsOver(temporary.store);
    const began = { opening: () => 'began', openingShape: 'began', hasAssistantTurns: true };
    await threads.decisionFor(ask(began));
    await threads.close();
    const endedAtMs = Date.now() + 5;
    const decide = (): Decision => nothing;
    expect(await threads.decisionFor(ask({ ...began, endedAtMs, decide }))).toMatchObject({
      decision: nothing,
    });
    const fork = ask({ ...began, ...sessionOf('fork'), endedAtMs, decide });
    expect(await threads.decisionFor(fork)).toMatchObject({ decision: defer });
  });

  test('what is known of threads is per tenant, with their size and last use', async () => {
    const threads = threadsOver(undefined);
    await threads.decisionFor(ask({ bodyBytes: 10 }));
    await threads.decisionFor(ask({ bodyBytes: 30 }));
    await threads.decisionFor(ask({ key: { ...key, tenant: 'local2' } }));
    expect(threads.known('local')).toEqual([
      expect.objectContaining({ key, decision: defer, bodyBytes: 30, hasBoundThinking: false }),
    ]);
  });
});

describe('a stored decision', () => {
  test('of the shape before removal is read as it was, and one with a removal comes back whole', () => {
    const removal = { units: ['A'], kept: { A: 'forced' }, tools: ['A'], tokensO200k: 3 } as const;
    const before = `{"version":1,"type":"defer","units":["Alpha"],"namesList":"names","namesPlace":"own-system-message","searchTool":"{}","deferredTokensO200k":300,"reasons":{"Alpha":"deferred"}}`;
    expect(parseDecision(before)).toEqual(defer);
    for (const decision of [{ ...defer, removal }, { type: 'remove', removal, reason: 'unchecked' } as const])
      expect(parseDecision(printDecision(decision))).toEqual(decision);
    expect(parseDecision('{"version":1,"type":"later"}')).toBeUndefined();
  });
});
