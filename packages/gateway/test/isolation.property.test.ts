import type { Store } from '@quartermaster/store';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createHistory, type History } from '../src/history.ts';
import { openTemporaryStore } from './support/gateway.ts';

/** Tenants whose names begin alike. */
const tenants = ['alice', 'alice2', 'bob'] as const;

type Step =
  | {
      readonly type: 'see';
      readonly tenant: (typeof tenants)[number];
      readonly session: string;
      readonly project: string;
      readonly used: readonly string[];
    }
  | { readonly type: 'flush' | 'reload' }
  | { readonly type: 'forget'; readonly beforeMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('see'),
      tenant: fc.constantFrom(...tenants),
      session: fc.constantFrom('s1', 's2', 's3'),
      project: fc.constantFrom('p', 'q'),
      used: fc.subarray(['Alpha', 'Beta']),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('flush', 'reload') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forget'), beforeMs: fc.nat(20) }) },
);

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What `tenant` finds after the steps; each of them happens at its own time. */
async function playFor(
  store: Store,
  names: Readonly<Record<string, string>>,
  steps: readonly (Step | undefined)[],
  tenant: string,
): Promise<unknown> {
  let nowMs = 0;
  const open = async (): Promise<History> => {
    const opened = createHistory({ store: store.history, clock: { now: () => nowMs }, log: silent });
    for (const name of Object.values(names)) await opened.load(name);
    return opened;
  };
  let history = await open();
  for (const taken of steps) {
    nowMs += 1;
    if (taken?.type === 'see') {
      const { used, ...sighting } = taken;
      history.record({ ...sighting, tenant: names[taken.tenant] ?? '', declared: ['Alpha', 'Beta'], used });
    } else if (taken?.type === 'forget') await history.forgetUnusedSince(taken.beforeMs);
    else if (taken !== undefined) await history.flush();
    if (taken?.type === 'reload') history = await open();
  }
  await history.flush();
  const own = names[tenant] ?? '';
  const rows = await store.history.load(own);
  return {
    newest: history.newest(own, '', 99).map(namesOf),
    ofProject: history.newestOfProject(own, 'p', 's1', 99).map(namesOf),
    rows: rows.map(({ tenant: _, ...row }) => row),
  };
}

function namesOf({ declared, used }: { declared: ReadonlySet<string>; used: ReadonlySet<string> }) {
  return [[...declared].toSorted(), [...used].toSorted()];
}

test('law 8: what a tenant sees of its history is the same with and without the others', async () => {
  await using temporary = await openTemporaryStore();
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 20 }),
    fc.constantFrom(...tenants),
    async (steps, tenant) => {
      runs += 1;
      // New names in each run, since all share one file. Retention goes by time alone, so times must not cross either.
      const name = (prefix: string) =>
        Object.fromEntries(tenants.map((each) => [each, `${prefix}${runs}-${each}`]));
      const alone = steps.map((each) => (each.type === 'see' && each.tenant !== tenant ? undefined : each));
      const { store } = temporary;
      const together = await playFor(store, name('t'), steps, tenant);
      expect(await playFor(store, name('a'), alone, tenant)).toEqual(together);
    },
  );
  await fc.assert(property, { seed: inject('seed'), numRuns: 100 });
});
