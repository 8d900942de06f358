import fc from 'fast-check';
import type { LedgerWorld, Marks, PlayedSession, ScriptStep } from './ledger-world.ts';
import { ledgerTools } from './ledger-tools.ts';

/** Something that happens in a random story. */
export type StoryEvent =
  | { readonly type: 'say'; readonly who: number; readonly steps: readonly ScriptStep[] }
  | { readonly type: 'compact'; readonly who: number }
  | { readonly type: 'wait'; readonly minutes: number }
  | { readonly type: 'restart' };

/** A story of up to three conversations of one client on one model. */
export interface Story {
  readonly model: string;
  readonly marks: Marks;
  readonly isStreaming: boolean;
  readonly systemRepeats: number;
  readonly events: readonly StoryEvent[];
}

/** Conversations of a story: two sessions and a sub-agent of the first. */
const cast = [{ session: 'first' }, { session: 'second' }, { session: 'first', agent: 'helper' }] as const;

const deferrable = ledgerTools.map(({ name }) => name).filter((name) => !['Write', 'Clock'].includes(name));

const step: fc.Arbitrary<ScriptStep> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ tool: 'Read' }) },
  { weight: 2, arbitrary: fc.constantFrom(...deferrable).map((tool) => ({ tool })) },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(fc.constantFrom(...deferrable), { minLength: 2, maxLength: 3 })
      .map((names) => ({ tools: names.map((tool) => ({ tool })) })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      search: fc.constantFrom('crm records', 'forecast', 'zzz'),
      limit: fc.integer({ min: 1, max: 3 }),
      text: fc.constant('I looked.'),
    }),
  },
);

const who = fc.nat({ max: cast.length - 1 });

const event: fc.Arbitrary<StoryEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      who,
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('wait' as const), minutes: fc.constantFrom(1, 4, 6, 30, 61) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
);

/** Legal choices only: 1 h marks come before 5 min ones. */
const marks: fc.Arbitrary<Marks> = fc.constantFrom<Marks>(
  {},
  { tools: '5m' },
  { system: '5m' },
  { system: '5m', messages: '5m' },
  { tools: '5m', system: '5m', messages: '5m' },
  { system: '1h', messages: '5m' },
  { tools: '1h', system: '5m', messages: '5m' },
  { system: '1h', messages: '1h' },
  { messages: '5m' },
);

export const story: fc.Arbitrary<Story> = fc.record({
  model: fc.constantFrom(
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-haiku-4-5-20251001',
    'claude-sonnet-4-6',
    'claude-opus-4-7',
  ),
  marks,
  isStreaming: fc.boolean(),
  systemRepeats: fc.constantFrom(0, 30, 100, 250),
  events: fc.array(event, { minLength: 2, maxLength: 8 }),
});

/** Plays a story in both worlds. */
export async function playStory(
  world: LedgerWorld,
  { events, systemRepeats, ...options }: Story,
): Promise<void> {
  const system = `Be careful. ${'Work in small steps and say what you do. '.repeat(systemRepeats)}`;
  const players: PlayedSession[] = cast.map((names) => world.start({ ...options, ...names, system }));
  const hasBegun = new Set<number>();
  for (const happening of [{ type: 'say', who: 0, steps: [{ tool: 'Read' }] } as const, ...events]) {
    switch (happening.type) {
      case 'say':
        hasBegun.add(happening.who);
        await players[happening.who]?.say(happening.steps);
        break;
      case 'compact':
        if (hasBegun.has(happening.who)) players[happening.who]?.compact('So far some files were read.');
        break;
      case 'wait':
        world.wait(happening.minutes * 60_000);
        break;
      case 'restart':
        await world.restart();
    }
  }
}
