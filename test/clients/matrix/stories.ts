import type { Client } from '@quartermaster/gateway';
import type { ScriptCall, ScriptFault, ScriptStep } from '../upstream.ts';
import { scripted } from '../upstream.ts';
import type { ClientDriver, Inability, Turn } from './driver.ts';

/** A client on the stage of one world, under one story. */
export interface Actor {
  readonly driver: ClientDriver;
  /** Runs the client with a prompt that scripts the model's turns. */
  ask(steps: readonly ScriptStep[], resume?: string): Promise<Turn>;
  /** Has the client compact a session. */
  compact(session: string): Promise<void>;
}

/** What a client and the simulated model do together, told so that every client can play it. */
export interface Story {
  readonly title: string;
  /** How many lines it appends to a file of the work folder: a story that did not come off proves nothing. */
  readonly lines: number;
  /** Whether the gateway must have deferred the tools that the story calls. */
  readonly needsDeferral: boolean;
  inability?(driver: ClientDriver): Inability | undefined;
  /** What goes wrong in it: a status, or a stream that breaks. */
  readonly fault?: number | 'broken-stream';
  /** What must differ in it for a client, and by what rule. */
  explain?(client: Client): Explanation | undefined;
  play(actor: Actor): Promise<void>;
}

/** Differences that a rule demands: those that `of` matches. */
export interface Explanation {
  readonly of: RegExp;
  readonly why: string;
}

export const plainTurn: Story = {
  title: 'plain turn',
  lines: 0,
  needsDeferral: false,
  play: async ({ ask }) => void (await ask([{ text: 'Good morning.' }])),
};

const toolTurn: Story = {
  title: 'tool turn',
  lines: 1,
  needsDeferral: false,
  play: async ({ ask, driver }) => void (await ask([writeFile(driver), { text: 'Written.' }])),
};

export const deferredTool: Story = {
  title: 'deferred tool',
  lines: 1,
  needsDeferral: true,
  play: async ({ ask, driver }) => {
    await ask([driver.seldom[0], writeFile(driver), { text: 'Found and done.' }]);
  },
};

const searchAndCall: Story = {
  title: 'search and call in one turn',
  lines: 1,
  needsDeferral: true,
  play: async ({ ask, driver }) => {
    await ask([{ tools: [writeFile(driver), driver.seldom[0]] }, { text: 'Both done.' }]);
  },
};

const parallelSearches: Story = {
  title: 'two searches at once',
  lines: 1,
  needsDeferral: true,
  play: async ({ ask, driver }) => {
    await ask([{ tools: [...driver.seldom], together: true }, writeFile(driver), { text: 'Both found.' }]);
  },
};

const ownSearch: Story = {
  title: 'own search',
  lines: 1,
  needsDeferral: false,
  inability: ({ ownSearch: calls }) => (calls === undefined ? { why: 'it has none' } : undefined),
  play: async ({ ask, driver }) => {
    await ask([...(driver.ownSearch ?? []), writeFile(driver), { text: 'Found by its own search.' }]);
  },
};

const resumedSession: Story = {
  title: 'resume',
  lines: 1,
  needsDeferral: true,
  play: async ({ ask, driver }) => {
    const first = await ask([driver.seldom[0], { text: 'First part done.' }]);
    const resume = requireSession(first);
    await ask([writeFile(driver), { text: 'Second part done.' }], resume);
    await ask([driver.seldom[0], { text: 'Third part done.' }], resume);
  },
};

const subAgent: Story = {
  title: 'sub-agent',
  lines: 1,
  needsDeferral: false,
  inability: ({ subAgent }) => ('why' in subAgent ? subAgent : undefined),
  play: async ({ ask, driver }) => {
    if ('why' in driver.subAgent) throw new Error(driver.subAgent.why);
    const inner = JSON.stringify([writeFile(driver), { text: 'The sub-agent is done.' }]);
    await ask([driver.subAgent(`Do this. ##${inner}##`), driver.seldom[0], { text: 'All done.' }]);
  },
};

export const compaction: Story = {
  title: 'compaction',
  lines: 2,
  needsDeferral: true,
  inability: ({ compact }) => ('why' in compact ? compact : undefined),
  explain: ({ onFault }) =>
    onFault.repairsByText
      ? {
          of: /^differs at requests|^thinking blocks stand behind a prefix that moved$/,
          why: 'After a compaction the client keeps a thinking block that is bound to the prefix before it, and the provider refuses it. Without the gateway the client sends the request once more without the block; with it the gateway has the provider drop the block (RF4).',
        }
      : undefined,
  play: async ({ ask, driver, compact }) => {
    const first = await ask([driver.seldom[0], writeFile(driver), { text: 'First part done.' }]);
    const session = requireSession(first);
    await compact(session);
    await ask([writeFile(driver), { text: 'Second part done.' }], session);
  },
};

const faults: Readonly<Record<string, Omit<ScriptFault, 'then'>>> = {
  '429': { fault: 'status', status: 429, headers: { 'retry-after': '1' } },
  '529': { fault: 'status', status: 529 },
  '500': { fault: 'status', status: 500 },
  'cut stream': { fault: 'drop' },
  'error event': { fault: 'errevent', etype: 'overloaded_error' },
};

const faultStories: readonly Story[] = Object.entries(faults).map(([title, fault]) => ({
  title,
  lines: 0,
  needsDeferral: true,
  fault: fault.status ?? 'broken-stream',
  play: async ({ ask, driver }) => {
    const text = 'The second try succeeds, and says so in a sentence of some length.';
    // oxlint-disable-next-line unicorn/no-thenable -- the script's own word; no step is ever awaited
    await ask([driver.seldom[0], { ...fault, then: { text } }, { text: 'Done after all.' }]);
  },
}));

/** What `npm test` plays: a few seconds a client. */
export const quickStories: readonly Story[] = [deferredTool, resumedSession];

export const stories: readonly Story[] = [
  plainTurn,
  toolTurn,
  deferredTool,
  searchAndCall,
  parallelSearches,
  ownSearch,
  resumedSession,
  subAgent,
  compaction,
  ...faultStories,
];

/** A session as the gateway learns from it: a shell command and nothing else. */
export async function playOrdinarySession({ ask, driver }: Actor, name: string): Promise<void> {
  await ask([driver.shell(`echo ${name}`), { text: `Said ${name}.` }]);
}

/** The prompt for a story's turn: begins with what tells it from others, since a billing line depends on that. */
export function promptFor(name: string, steps: readonly ScriptStep[]): string {
  return scripted(`${name}.`, steps);
}

function writeFile(driver: ClientDriver): ScriptCall {
  return driver.shell('echo from the story >> story.txt');
}

function requireSession({ session, stderr }: Turn): string {
  if (session !== undefined) return session;
  throw new Error(`The client named no session to resume. It said: ${stderr.slice(-400)}`);
}
