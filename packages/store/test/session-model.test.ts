import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { SessionStore } from '@quartermaster/store';
import { StoreError } from '@quartermaster/store';
import { createSessionStore } from '../src/sessions.ts';
import { createTables, inProcess } from './in-process.ts';
import { holdOf, itemOf, key, spentOf } from './session-records.ts';

/** One session as a person would keep it in mind. */
interface Model {
  hold: { readonly turn: string; readonly endsAtMs: number } | undefined;
  readonly items: string[];
  readonly receipts: Map<string, string>;
}

interface World {
  /** The engine's clock. */
  nowMs: number;
  /** Names the next item. */
  nextItem: number;
  session: Model | undefined;
}

/** Something that a caller does. */
interface Step {
  /** For the report of a failure. */
  readonly name: string;
  /** What the store answers. */
  play(sessions: SessionStore, world: World): Promise<unknown>;
  /** What it should answer; changes `world` to what should be there then. */
  foretell(world: World): unknown;
}

test('L1, RS1, RS4: whatever turns do, and in whatever order, a session is what it is in the simplest model of it', async () => {
  const property = fc.asyncProperty(fc.array(anyStep(), { minLength: 20, maxLength: 60 }), async (steps) => {
    using tables = createTables();
    const world: World = { nowMs: 1_000, nextItem: 0, session: undefined };
    const sessions = createSessionStore(inProcess(tables, () => world.nowMs));
    for (const step of steps) {
      const answer = await step.play(sessions, world);
      expect(answer).toEqual(step.foretell(world));
      const stored = await sessions.items(key);
      expect(stored.map(({ id }) => id)).toEqual(world.session?.items ?? []);
      expect(stored.map(({ position }) => position)).toEqual([...stored.keys()]);
    }
    expect((await sessions.read(key))?.totals.inputTokens).toBe(world.session?.items.length);
  });
  await fc.assert(property, { seed: inject('seed'), numRuns: 150 });
});

function anyStep(): fc.Arbitrary<Step> {
  const turn = fc.constantFrom('a', 'b', 'c');
  const leaseMs = fc.constantFrom(0, 5, 50);
  const request = fc.record({ id: fc.constantFrom('r', 's'), contentHash: fc.constantFrom('h', 'i') });
  const maybeRequest = fc.option(request, { nil: undefined });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(creation(), deletion()) },
    { weight: 3, arbitrary: fc.constantFrom(1, 5, 60).map(pause) },
    {
      weight: 5,
      arbitrary: fc.tuple(turn, turn, leaseMs).map(([one, from, ms]) => beginning(one, ms, from)),
    },
    { weight: 5, arbitrary: fc.tuple(turn, leaseMs).map(([one, ms]) => beginning(one, ms, undefined)) },
    { weight: 3, arbitrary: fc.tuple(turn, leaseMs).map(([one, ms]) => renewal(one, ms)) },
    { weight: 2, arbitrary: turn.map(ending) },
    {
      weight: 12,
      arbitrary: fc.tuple(turn, fc.nat({ max: 3 }), maybeRequest).map((all) => addition(...all)),
    },
  );
}

function creation(): Step {
  return {
    name: 'create',
    play: (sessions) =>
      sessions.create({ ...key, title: '', origin: 'run', parent: undefined, createdAtMs: 1 }),
    foretell(world) {
      if (world.session !== undefined) return false;
      world.session = { hold: undefined, items: [], receipts: new Map() };
      return true;
    },
  };
}

function deletion(): Step {
  return {
    name: 'delete',
    play: (sessions) => sessions.delete(key),
    foretell(world) {
      const wasThere = world.session !== undefined;
      world.session = undefined;
      return wasThere;
    },
  };
}

function pause(ms: number): Step {
  return {
    name: `wait ${ms} ms`,
    play: async () => undefined,
    foretell: (world) => void (world.nowMs += ms),
  };
}

/** With `from`, a turn is taken over from that one. */
function beginning(turn: string, leaseMs: number, from: string | undefined): Step {
  const hold = holdOf(turn, { leaseMs });
  return {
    name: `begin ${turn} for ${leaseMs} ms from ${from}`,
    async play(sessions) {
      const begin =
        from === undefined ? sessions.beginTurn(key, hold) : sessions.takeTurn(key, hold, { turn: from });
      return (await begin).type;
    },
    foretell({ session, nowMs }) {
      if (session === undefined) return 'missing';
      const holder =
        session.hold !== undefined && session.hold.endsAtMs > nowMs ? session.hold.turn : undefined;
      if (holder !== undefined && holder !== turn && holder !== from) return 'busy';
      session.hold = { turn, endsAtMs: nowMs + leaseMs };
      return 'begun';
    },
  };
}

function renewal(turn: string, leaseMs: number): Step {
  return {
    name: `renew ${turn} for ${leaseMs} ms`,
    play: (sessions) => sessions.renewTurn(key, holdOf(turn, { leaseMs })),
    foretell({ session, nowMs }) {
      if (session?.hold?.turn !== turn) return false;
      session.hold = { turn, endsAtMs: nowMs + leaseMs };
      return true;
    },
  };
}

function ending(turn: string): Step {
  return {
    name: `end ${turn}`,
    play: (sessions) => sessions.endTurn(key, turn),
    foretell({ session }) {
      if (session?.hold?.turn === turn) session.hold = undefined;
    },
  };
}

function addition(
  turn: string,
  count: number,
  request: { readonly id: string; readonly contentHash: string } | undefined,
): Step {
  const namesFrom = (first: number) => Array.from({ length: count }, (_, index) => `item-${first + index}`);
  return {
    name: `append ${count} by ${turn} as ${request?.id} ${request?.contentHash}`,
    async play(sessions, world) {
      const items = namesFrom(world.nextItem).map((id) => itemOf(id));
      const options = { spent: spentOf(count), ...(request && { request }) };
      return await sessions.append(key, turn, items, options).then(
        ({ type }) => type,
        (error: unknown) => (error instanceof StoreError ? error.code : error),
      );
    },
    foretell(world) {
      const { session } = world;
      const receipt = request && session?.receipts.get(request.id);
      if (receipt !== undefined) return receipt === request?.contentHash ? 'repeated' : 'conflict';
      if (session?.hold?.turn !== turn) return 'STORE_TURN_LOST';
      session.items.push(...namesFrom(world.nextItem));
      world.nextItem += count;
      if (request) session.receipts.set(request.id, request.contentHash);
      return 'appended';
    },
  };
}
