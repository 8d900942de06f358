import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type GatewayProcess, startGatewayProcess } from '../clients/gateway-process.ts';
import { until } from '../clients/until.ts';
import { scripted, type ScriptStep, startUpstream, type UpstreamRequest } from '../clients/upstream.ts';
import { createStreamingAgent, type StreamingAgent, type Watch } from './streaming-agent.ts';

/** Where in a session the gateway is killed: just when the n-th request is sent, or when so many bytes have come. */
export type KillPoint =
  | { readonly type: 'request'; readonly number: number }
  | { readonly type: 'bytes'; readonly count: number };

/** One session in whose midst the gateway was killed and started again on the same store and port. */
export interface KilledSession {
  readonly point: KillPoint;
  readonly wasKilled: boolean;
  readonly retries: number;
  readonly requests: readonly UpstreamRequest[];
  /** Of `/stats` after the session, since the restart. */
  readonly flips: number;
  readonly rebuilds: number;
}

const searched: ScriptStep = { tool: 'Planner', input: { option_0: 'a plan of some length, in pieces' } };
const bash: ScriptStep = { tool: 'Bash', input: { option_0: 'ls' } };
const learning: readonly ScriptStep[] = [bash, { text: 'done' }];
const turns: readonly (readonly ScriptStep[])[] = [
  [bash, { text: 'looked around' }],
  [searched, bash, { text: 'planned' }],
  [{ text: 'nothing to do' }],
];

/** Plays one session for each point. The gateway is killed with SIGKILL: no handler runs, nothing is flushed. */
export async function playKills(points: readonly KillPoint[]): Promise<readonly KilledSession[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream());
  const store = stack.use(await mkdtempDisposable(join(tmpdir(), 'qm-kill-'))).path;
  let gateway = await startGatewayProcess({ anthropicUpstream: upstream.url, store, port: 0 });
  stack.defer(() => gateway.kill());
  const { port } = gateway;
  const agentOf = (watch: Watch, whenBack: () => Promise<void>): StreamingAgent => {
    let sent = 0;
    // Now and then a stream is slow, so that a kill finds it in its midst.
    const chunking = (): string => (['slow', 'records', 'split-utf8'] as const)[sent++ % 3] ?? 'records';
    return createStreamingAgent({ baseUrl: gateway.anthropicUrl, tools, watch, chunking, whenBack });
  };
  for (const name of ['First', 'Second', 'Third']) {
    await agentOf(quiet, async () => {}).turn(scripted(`${name} session.`, learning));
  }
  await until('history and verdict on disk', async () => isLearned(store), 20_000);

  async function restart(): Promise<void> {
    await gateway.kill();
    gateway = await startGatewayProcess({ anthropicUpstream: upstream.url, store, port });
  }

  const sessions: KilledSession[] = [];
  for (const point of points) {
    let restarting: Promise<void> | undefined;
    const strike = createStrike(point, () => {
      restarting ??= restart();
    });
    const agent = agentOf(strike, async () => restarting);
    for (const steps of turns) {
      await agent.turn(scripted('Go on.', steps));
      await restarting;
    }
    const { flips, rebuilds } = await deferralCounts(gateway);
    const requests = upstream.requests(agent.session);
    const wasKilled = restarting !== undefined;
    sessions.push({ point, wasKilled, retries: agent.retries, requests, flips, rebuilds });
  }
  return sessions;
}

/** What reached the provider through two lives of a gateway that can't have the store it was told of. */
export async function playWithoutStore(store: string): Promise<{
  readonly sent: readonly string[];
  readonly arrived: readonly string[];
  /** How often each life said that nothing is deferred. */
  readonly warnings: readonly number[];
}> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream());
  const sent: string[] = [];
  const warnings: number[] = [];
  for (let life = 0; life < 2; life += 1) {
    await using gateway = await startGatewayProcess({ anthropicUpstream: upstream.url, store, port: 0 });
    const watch: Watch = { ...quiet, onRequest: (body) => sent.push(body) };
    for (let session = 0; session < 4; session += 1) {
      const chunking = (): string => 'records';
      const options = { baseUrl: gateway.anthropicUrl, tools, watch, chunking, whenBack: async () => {} };
      await createStreamingAgent(options).turn(scripted('A session.', learning));
    }
    warnings.push(gateway.said().split('no tool is deferred').length - 1);
  }
  const arrived = upstream.requests().map(({ raw }) => raw);
  return { sent: sent.map((body) => Buffer.from(body).toString('latin1')), arrived, warnings };
}

const quiet: Watch = { onRequest: () => {}, onBytes: () => {} };

function createStrike(point: KillPoint, kill: () => void): Watch {
  let requests = 0;
  let bytes = 0;
  return {
    onRequest() {
      requests += 1;
      // The request is on its way when the signal arrives, or just not yet.
      if (point.type === 'request' && requests === point.number) setImmediate(kill);
    },
    onBytes(count) {
      bytes += count;
      if (point.type === 'bytes' && bytes >= point.count) kill();
    },
  };
}

/** Two protected tools, and others heavy enough to be deferred (RU5). */
const tools = ['Bash', 'Read', 'Calendar', 'Notebook', 'Planner', 'mcp__crm__find', 'mcp__crm__merge'].map(
  (name) => ({
    name,
    description: `Works on ${name}.`,
    input_schema: { type: 'object', properties: Object.fromEntries(optionsOf(name)) },
  }),
);

function optionsOf(name: string): readonly (readonly [string, object])[] {
  return Array.from({ length: 14 }, (_, index) => [
    `option_${index}`,
    {
      type: 'string',
      description: `What ${name} is to do in its step number ${index}, in a few words of your own.`,
    },
  ]);
}

/** What a new process needs to defer in new sessions too, written behind by the one that is about to be killed. */
function isLearned(store: string): true | undefined {
  const database = new DatabaseSync(join(store, 'quartermaster.db'), { readOnly: true });
  try {
    const rowsOf = (table: string): number =>
      Number(database.prepare(`select count(*) as rows from ${table}`).get()?.['rows']);
    return rowsOf('session_history') >= 3 && rowsOf('verdict') >= 1 ? true : undefined;
  } finally {
    database.close();
  }
}

async function deferralCounts(gateway: GatewayProcess): Promise<{ flips: number; rebuilds: number }> {
  const stats = (await gateway.stats()) as { readonly tool_defer: { flips: number; rebuilds: number } };
  return stats.tool_defer;
}
