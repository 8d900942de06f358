import type { LedgerWorld, ScriptStep, SessionOptions } from './ledger-world.ts';
import { declaredTool, ledgerTools } from './ledger-tools.ts';

/** One story that is played in both worlds. */
export interface Scenario {
  readonly name: string;
  /** What the story is told for: whether deferral pays in it. */
  readonly pays: boolean;
  play(world: LedgerWorld): Promise<void>;
}

const minuteMs = 60_000;
const read: ScriptStep = { tool: 'Read' };
const withoutClock = ledgerTools.filter(({ name }) => name !== 'Clock');
/** About 52,000 o200k tokens, so that Haiku 5.5's price tier lies between the two prompts. */
const longSystem = 'Read the plan, do the next step and say what came of it. '.repeat(3_720);

/** With the loaded tools some 3,500 tokens of Haiku 4.5, whose minimum is 4,096. */
const justBelow = 'Work in small steps and say what you do. '.repeat(165);

/** A session of some turns, with whatever else happens between them. */
async function chat(
  world: LedgerWorld,
  options: SessionOptions,
  turns: readonly (readonly ScriptStep[])[],
  between: (turn: number) => void = () => {},
): Promise<void> {
  const session = world.start(options);
  for (const [index, steps] of turns.entries()) {
    await session.say(steps);
    between(index);
  }
}

const threeTurns = [[read, read], [read], [read, read]];

/** Not known to send searches back. */
const hidden = { headers: { 'x-claude-code-session-id': '', 'x-session-id': 'hidden' } } as const;

export const scenarios: readonly Scenario[] = [
  {
    name: 'a session with 5 min marks',
    pays: true,
    play: (world) => chat(world, {}, threeTurns),
  },
  {
    name: 'a session whose answers are not streamed',
    pays: true,
    play: (world) => chat(world, { isStreaming: false }, threeTurns),
  },
  {
    name: '1 h marks on the prefix, 5 min on the conversation',
    pays: true,
    play: (world) => chat(world, { marks: { tools: '1h', system: '1h', messages: '5m' } }, threeTurns),
  },
  {
    name: '1 h marks everywhere',
    pays: true,
    play: (world) => chat(world, { marks: { system: '1h', messages: '1h' } }, threeTurns),
  },
  {
    name: 'no marks: every token is fresh each time',
    pays: true,
    play: (world) => chat(world, { marks: {} }, threeTurns),
  },
  {
    name: 'a mark on a deferred tool, which moves',
    pays: true,
    play: (world) => chat(world, { tools: withoutClock, marks: { tools: '5m', messages: '5m' } }, threeTurns),
  },
  {
    name: 'marks on the tools only',
    pays: true,
    play: (world) => chat(world, { marks: { tools: '5m' } }, threeTurns),
  },
  {
    name: 'a pause in which the 5 min caches expire',
    pays: true,
    play: (world) => chat(world, {}, threeTurns, () => world.wait(6 * minuteMs)),
  },
  {
    name: 'a pause that the 1 h prefix outlives and the 5 min conversation does not',
    pays: true,
    play: (world) =>
      chat(world, { marks: { system: '1h', messages: '5m' } }, threeTurns, () => world.wait(20 * minuteMs)),
  },
  {
    name: 'a pause in which the 1 h caches expire',
    pays: true,
    play: (world) =>
      chat(world, { marks: { system: '1h', messages: '1h' } }, threeTurns, () => world.wait(61 * minuteMs)),
  },
  {
    name: 'a wrong guess in mid-session',
    pays: true,
    play: (world) => chat(world, {}, [[read, { tool: 'Invoice' }], [read], [{ tool: 'Invoice' }, read]]),
  },
  {
    name: 'a wrong guess whose answer is not streamed',
    pays: true,
    play: (world) => chat(world, { isStreaming: false }, [[read, { tool: 'Invoice' }], [read]]),
  },
  {
    name: 'two wrong guesses in one answer',
    pays: true,
    play: (world) =>
      chat(world, {}, [[{ tools: [{ tool: 'Calendar' }, { tool: 'mcp__crm__merge' }] }], [read], [read]]),
  },
  {
    name: 'a search that loads several tools, and one that finds none',
    pays: true,
    play: (world) =>
      chat(world, {}, [[{ search: 'crm records', limit: 3, text: 'Looking.' }], [{ search: 'zzz' }], [read]]),
  },
  {
    name: 'a wrong guess, and then the caches expire',
    pays: true,
    play: (world) =>
      chat(world, { marks: { system: '1h', messages: '5m' } }, [[{ tool: 'Invoice' }], [read], [read]], () =>
        world.wait(61 * minuteMs),
      ),
  },
  {
    name: 'every deferred tool is used at once: dearer than without',
    pays: false,
    play: async (world) => {
      await chat(world, {}, [[read]]);
      const all = ledgerTools.filter(({ name }) => !['Read', 'Write', 'Clock'].includes(name));
      await chat(world, {}, [all.map(({ name }) => ({ tool: name })), [read], [read]]);
    },
  },
  {
    name: 'a compaction',
    pays: true,
    play: async (world) => {
      const session = world.start();
      await session.say([read, read]);
      session.compact('So far the files were read and nothing else was done.');
      await session.say([read]);
      await session.say([read]);
    },
  },
  {
    name: 'a wrong guess, and a compaction that takes its load away',
    pays: true,
    play: async (world) => {
      const session = world.start();
      await session.say([{ tool: 'Forecast' }, read]);
      session.compact('So far a forecast was made, which showed nothing new.');
      await session.say([read]);
      await session.say([{ tool: 'Forecast' }]);
    },
  },
  {
    name: 'sub-agents that share the prefix of their session',
    pays: true,
    play: async (world) => {
      const main = world.start({ session: 'parent' });
      await main.say([read]);
      for (const agent of ['one', 'two']) await chat(world, { session: 'parent', agent }, [[read], [read]]);
      await main.say([read]);
    },
  },
  {
    name: 'sub-agents with tools and a prompt of their own',
    pays: true,
    play: async (world) => {
      const main = world.start({ session: 'parent' });
      await main.say([read]);
      const tools = ledgerTools.slice(0, 9);
      const system = 'You look things up. '.repeat(120);
      await chat(world, { session: 'parent', agent: 'one', tools, system }, [[read], [read]]);
      await main.say([read]);
    },
  },
  {
    name: 'sessions that share a prefix within its life',
    pays: true,
    play: async (world) => {
      for (const session of ['first', 'second', 'third']) await chat(world, { session }, [[read], [read]]);
    },
  },
  {
    name: 'sessions that share a prefix after its life',
    pays: true,
    play: async (world) => {
      for (const session of ['first', 'second']) {
        await chat(world, { session }, [[read], [read]]);
        world.wait(7 * minuteMs);
      }
    },
  },
  {
    name: 'a session whose prefix changes since the one before it used a deferred tool',
    pays: true,
    play: async (world) => {
      await chat(world, { session: 'first' }, [[read, { tool: 'Invoice' }], [read]]);
      await chat(world, { session: 'second' }, [[read], [read]]);
    },
  },
  {
    name: 'a first deferred session that could have read what an undeferred one left',
    pays: false,
    play: async (world) => {
      const headers = { 'x-quartermaster-bypass': 'true' };
      await chat(world, { session: 'bypassed', headers }, [[read], [read]]);
      await chat(world, { session: 'deferred' }, [[read]]);
    },
  },
  {
    name: 'an undeferred session that could have read what deferred ones would have left',
    pays: false,
    play: async (world) => {
      await chat(world, { session: 'deferred' }, [[read], [read]]);
      const headers = { 'x-quartermaster-bypass': 'true' };
      await chat(world, { session: 'bypassed', headers }, [[read]]);
    },
  },
  {
    name: 'the price tier of Haiku 5.5 between the two prompts',
    pays: true,
    play: (world) => chat(world, { model: 'claude-haiku-5-5', system: longSystem }, [[read], [read]]),
  },
  {
    name: 'a conversation that grows into the price tier of Haiku 5.5',
    pays: true,
    play: (world) =>
      chat(
        world,
        { model: 'claude-haiku-5-5', system: longSystem.slice(0, -33_000) },
        Array.from({ length: 4 }, () => [read, read, { text: 'A long answer. '.repeat(900) }]),
      ),
  },
  {
    name: 'a deferred prefix below the minimum of Haiku 4.5, which alone is not cached',
    pays: false,
    play: async (world) => {
      const options = { model: 'claude-haiku-4-5-20251001', marks: { system: '5m' } } as const;
      for (const session of ['first', 'second', 'third', 'fourth']) {
        await chat(world, { ...options, session, system: justBelow }, [
          [read, read, read],
          [read, read],
        ]);
      }
    },
  },
  {
    name: 'a conversation that grows over the minimum of Haiku 4.5',
    pays: true,
    play: (world) =>
      chat(
        world,
        { model: 'claude-haiku-4-5-20251001', system: 'Be brief.' },
        Array.from({ length: 4 }, () => [read, read]),
      ),
  },
  {
    name: 'a model without system messages, its names list in the system prompt',
    pays: true,
    play: (world) => chat(world, { model: 'claude-opus-4-7' }, [[read, { tool: 'Archive' }], [read], [read]]),
  },
  {
    name: 'a client that declares more tools in mid-session',
    pays: true,
    play: async (world) => {
      const session = world.start();
      await session.say([read]);
      session.change({
        tools: [...ledgerTools, declaredTool('mcp__crm__late', 12), declaredTool('Late', 5)],
      });
      await session.say([read]);
      await session.say([read]);
    },
  },
  {
    name: 'a gateway that is restarted in mid-session',
    pays: true,
    play: async (world) => {
      const session = world.start();
      await session.say([read, { tool: 'Invoice' }]);
      await world.restart();
      await session.say([read]);
      await session.say([read]);
    },
  },
  {
    name: 'a client that is shown no search, and is wrong three times',
    pays: true,
    play: (world) =>
      chat(world, hidden, [
        [read, { tool: 'Invoice' }],
        [{ search: 'crm records', limit: 3, text: 'Looking.' }],
        [{ tools: [{ tool: 'Calendar' }, { tool: 'Archive' }] }, read],
        [read],
      ]),
  },
  {
    name: 'the same, not streamed, and its gateway is restarted',
    pays: true,
    play: async (world) => {
      const session = world.start({ ...hidden, isStreaming: false });
      await session.say([read, { tool: 'Invoice' }]);
      await world.restart();
      await session.say([read]);
      await session.say([{ tool: 'Invoice' }, read]);
    },
  },
];
