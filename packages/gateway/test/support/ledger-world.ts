import { randomUUID } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Simulator, SimulatorOptions } from '@quartermaster/simulator';
import type { Store } from '@quartermaster/store';
import type { GatewayOptions } from '../../src/index.ts';
import type { BodyBlock, BodyMessage, BodyTool } from './anthropic-body.ts';
import { openTemporaryStore, type RunningGateway, startGateway } from './gateway.ts';
import { ledgerTools } from './ledger-tools.ts';
import { startSimulator } from './simulated.ts';
import { contentOfStream } from './stream-content.ts';

/** One step of a script: what the simulated model answers with. */
export interface ScriptStep {
  readonly text?: string;
  readonly tool?: string;
  readonly tools?: readonly { readonly tool: string; readonly input?: object }[];
  readonly search?: string;
  readonly limit?: number;
  readonly stop?: string;
}

/** How a client marks its prompts. `undefined`: not at all. */
export interface Marks {
  readonly tools?: Ttl | undefined;
  readonly system?: Ttl | undefined;
  readonly messages?: Ttl | undefined;
}

export type Ttl = '5m' | '1h';

export interface SessionOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly tools?: readonly BodyTool[];
  readonly system?: string;
  readonly marks?: Marks;
  readonly isStreaming?: boolean;
  /** What sets the price beside the tokens. */
  readonly terms?: { readonly inference_geo?: string; readonly speed?: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** One conversation, played twice: through the gateway, and straight to a provider of its own. */
export interface PlayedSession {
  readonly session: string;
  /** Says something; the model answers step by step until its script ends. */
  say(steps: readonly ScriptStep[], words?: string): Promise<void>;
  /** What the client declares or asks for from now on. */
  change(options: Partial<SessionOptions>): void;
  /** What a client's compaction does: the conversation goes on from a summary. */
  compact(summary: string): void;
}

/** Two worlds with one clock: one with deferral, one without. */
export interface LedgerWorld extends AsyncDisposable {
  gateway(): RunningGateway;
  readonly store: Store;
  /** Another gateway over the same store takes over; the one before ends. */
  restart(): Promise<void>;
  /** Moves the clock of gateway and providers. */
  wait(ms: number): void;
  start(options?: SessionOptions): PlayedSession;
  /** What both worlds cost so far, and what the ledger says, in USD. */
  account(): Promise<Account>;
}

export interface Account {
  readonly withUsd: number;
  readonly withoutUsd: number;
  /** What the gateway's ledger says was saved. `null`: unknown. */
  readonly netUsd: number | null;
  readonly projectedUsd: number | null;
  /** How far the ledger is off, as a share of the bill without deferral. */
  readonly error: number;
}

/** The ledger may be off by so much of the bill without deferral. */
export const maxError = 0.01;

const minuteMs = 60_000;
/** What a turn of the model and its tools take. */
const turnMs = 4_000;

const o200k = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

/** Opens both worlds; the tenant has a history of three sessions that declared every tool and used none but `Read`. */
export async function openLedgerWorld(
  options: Partial<GatewayOptions> = {},
  provider: Partial<SimulatorOptions> = {},
): Promise<LedgerWorld> {
  let nowMs = Date.now();
  const clock = { now: () => nowMs };
  const temporary = await openTemporaryStore();
  const { store } = temporary;
  const [dealt, straight] = [
    await startSimulator({ clock, countTokens: o200k, binding: false, ...provider }),
    await startSimulator({ clock, countTokens: o200k, binding: false }),
  ];
  await remember(store, nowMs, new URL(dealt.url).origin);
  const open = (): Promise<RunningGateway> =>
    startGateway(dealt.url, {
      preset: 'ultrahigh',
      store,
      clock,
      countTokens: o200k,
      limits: { claimMs: 10_000, readMs: 10_000, rereadMs: 10_000 },
      ...options,
    });
  let gateway = await open();
  const worlds = [
    () => new URL('/anthropic/v1/messages', gateway.url),
    () => new URL('/v1/messages', straight.url),
  ] as const;
  return {
    gateway: () => gateway,
    store,
    async restart() {
      await gateway[Symbol.asyncDispose]();
      gateway = await open();
    },
    wait(ms) {
      nowMs += ms;
    },
    start: (session = {}) =>
      createPlayedSession(session, worlds, () => {
        nowMs += turnMs;
      }),
    account: () => accountOf({ gateway, store, dealt: dealt.simulator, straight: straight.simulator }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await dealt[Symbol.asyncDispose]();
      await straight[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

async function accountOf({
  gateway,
  store,
  dealt,
  straight,
}: {
  readonly gateway: RunningGateway;
  readonly store: Store;
  readonly dealt: Simulator;
  readonly straight: Simulator;
}): Promise<Account> {
  const withUsd = dealt.bill().totalUsd;
  const withoutUsd = straight.bill().totalUsd;
  await gateway.gateway.settled();
  const sums = await store.ledger.sums('local', { sinceDay: 0 });
  const sumOf = (wanted: string): number | null => {
    const days = sums.filter(({ name }) => name === wanted);
    return days.length === 0 ? null : days.reduce((sum, { amount }) => sum + amount, 0);
  };
  const [netUsd, projectedUsd] = [sumOf('net_usd'), sumOf('projected_usd')];
  const off = Math.abs((netUsd ?? Number.NaN) - (withoutUsd - withUsd));
  return { withUsd, withoutUsd, netUsd, projectedUsd, error: off / withoutUsd };
}

async function remember(store: Store, nowMs: number, upstream: string): Promise<void> {
  const declared = ledgerTools.map(({ name }) => name);
  await store.history.save(
    [1, 2, 3].map((age) => ({
      tenant: 'local',
      session: `earlier-${age}`,
      project: 'none',
      declared,
      used: ['Read'],
      lastActivityMs: nowMs - age * 60 * minuteMs,
    })),
  );
  for (const model of models) {
    await store.verdicts.save({
      upstream,
      model,
      route: '/v1/messages',
      verdict: 'pass',
      checkedAtMs: nowMs,
    });
  }
}

const models = [
  'claude-opus-5-5',
  'claude-haiku-5-5',
  'claude-haiku-4-5-20251001',
  'claude-sonnet-4-6',
  'claude-opus-4-7',
];

function createPlayedSession(
  started: SessionOptions,
  worlds: readonly [() => URL, () => URL],
  pass: () => void,
): PlayedSession {
  let options = started;
  const session = options.session ?? randomUUID();
  const arms = worlds.map((url) => ({ url, messages: [] as BodyMessage[] }));

  async function answer(arm: (typeof arms)[number]): Promise<boolean> {
    const content = await sendTurn(arm.url(), bodyOf(options, arm.messages), { ...options, session });
    arm.messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return false;
    const results = calls.map(({ id, name }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `${String(name)} answered: ${'the rows that were asked for, one a line. '.repeat(12)}`,
    }));
    arm.messages.push({ role: 'user', content: results });
    return true;
  }

  return {
    session,
    async say(steps, words = 'Please go on with the work as we said.') {
      for (const arm of arms) {
        arm.messages.push({
          role: 'user',
          content: `${words} @@${JSON.stringify([...steps, { text: 'Done.' }])}@@`,
        });
      }
      for (let goesOn = true; goesOn;) {
        const went = [];
        for (const arm of arms) went.push(await answer(arm));
        if (went[0] !== went[1]) throw new Error('the two worlds went different ways');
        goesOn = went[0] === true;
        pass();
      }
    },
    change: (changes) => {
      options = { ...options, ...changes };
    },
    compact(summary) {
      for (const arm of arms)
        arm.messages.splice(
          0,
          arm.messages.length,
          { role: 'user', content: summary },
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'I have read the summary.' }],
          },
        );
    },
  };
}

function bodyOf(options: SessionOptions, messages: readonly BodyMessage[]): object {
  const {
    model = 'claude-opus-5-5',
    tools = ledgerTools,
    marks = { system: '5m', messages: '5m' },
  } = options;
  const system =
    options.system ??
    `You are a careful assistant. ${'Work in small steps and say what you do. '.repeat(60)}`;
  return {
    model,
    max_tokens: 1_000,
    ...options.terms,
    stream: options.isStreaming ?? true,
    system: [{ type: 'text', text: system, ...markOf(marks.system) }],
    tools: tools.map((tool, index) =>
      index === tools.length - 1 ? { ...tool, ...markOf(marks.tools) } : tool,
    ),
    messages: withMarks(messages, marks.messages),
  };
}

/** As coding agents do: on the last block of the newest user message, and of the one before. */
function withMarks(messages: readonly BodyMessage[], ttl: Ttl | undefined): readonly BodyMessage[] {
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2);
  return messages.map((message, index) => {
    if (ttl === undefined || !users.includes(index)) return message;
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return {
      role: message.role,
      content: blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...markOf(ttl) } : block)),
    };
  });
}

function markOf(ttl: Ttl | undefined): object {
  return ttl === undefined ? {} : { cache_control: { type: 'ephemeral', ttl } };
}

async function sendTurn(
  url: URL,
  body: object,
  { session, agent, headers }: { readonly session: string } & Pick<SessionOptions, 'agent' | 'headers'>,
): Promise<readonly BodyBlock[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test',
      'x-claude-code-session-id': session,
      ...(agent === undefined ? {} : { 'x-claude-code-agent-id': agent }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`expected an answer, got ${response.status}: ${text}`);
  const content = text.startsWith('{')
    ? (JSON.parse(text) as { content: BodyBlock[] }).content
    : contentOfStream(text);
  if (content === undefined) throw new Error(`expected an answer, got an error: ${text}`);
  return content;
}
