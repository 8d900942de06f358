import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionOf } from './claude-code.ts';
import type { ClaudeCode, ClaudeCodeOutcome } from './claude-code.ts';
import { startGatewayProcess } from './gateway-process.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { ClientInstall } from './install.ts';
import { startRecorder } from './recorder.ts';
import { openStage } from './stage.ts';
import { hasPassedCheck, until } from './until.ts';
import { scripted, startUpstream } from './upstream.ts';
import type { ScriptStep, UpstreamRequest } from './upstream.ts';

export interface DeferralStory {
  /** The requests of three sessions that use Bash only, as the client sent them. */
  readonly sentEarlier: readonly string[];
  /** The same by session, as they reached the provider. */
  readonly earlier: readonly (readonly UpstreamRequest[])[];
  /** The fourth session, as the client sent it and as it reached the provider: the same requests. */
  readonly sent: readonly string[];
  readonly thread: readonly UpstreamRequest[];
  /** How many of the fourth session's requests came before the gateway was killed. */
  readonly beforeKill: number;
  readonly turns: readonly ClaudeCodeOutcome[];
  /** A last turn, which the provider pauses after a search, and how often the provider was asked in it. */
  readonly paused: ClaudeCodeOutcome;
  readonly pausedRequests: readonly UpstreamRequest[];
}

export interface StoryOptions {
  readonly ownToolSearch: boolean;
  /** What the model does in the fourth session, before and after the gateway is killed. */
  readonly beforeKill: readonly ScriptStep[];
  readonly afterKill: readonly ScriptStep[];
  readonly allowedTools: readonly string[];
}

/**
 * Three sessions of Claude Code through `qm gateway --preset ultrahigh`, a passed check, and a fourth session
 * in the midst of which the gateway is killed and started again on the same store and port.
 */
export async function playDeferralStory(
  install: ClientInstall,
  options: StoryOptions,
): Promise<DeferralStory> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream());
  const store = stack.use(await mkdtempDisposable(join(tmpdir(), 'qm-store-'))).path;
  const start = (port: number): Promise<GatewayProcess> =>
    startGatewayProcess({ anthropicUpstream: upstream.url, store, port });
  const gateway = stack.use(await start(0));
  const recorder = stack.use(await startRecorder(gateway.anthropicUrl));
  const stage = stack.use(await openStage(install));
  const client = stage.client({ baseUrl: recorder.url, ownToolSearch: options.ownToolSearch });

  const earlier = await playEarlierSessions(client);
  await until('a passed check', async () => hasPassedCheck(await gateway.stats()), 20_000);

  const sentEarlier = [...recorder.bodies];
  const { allowedTools } = options;
  const first = await client.run(scripted('Fourth session.', options.beforeKill), { allowedTools });
  const session = sessionOf(first);
  const beforeKill = upstream.requests(session).length;
  await gateway.kill();
  stack.use(await start(gateway.port));
  const second = await client.run(scripted('Go on.', options.afterKill), { allowedTools, resume: session });

  const sent = recorder.bodies.slice(sentEarlier.length);
  const thread = upstream.requests(session);
  const paused = await client.run(scripted('On.', pausing), { allowedTools, resume: session });

  return {
    sentEarlier,
    earlier: earlier.map((outcome) => upstream.requests(sessionOf(outcome))),
    sent,
    thread,
    beforeKill,
    turns: [first, second],
    paused,
    pausedRequests: upstream.requests(session).slice(thread.length),
  };
}

const pausing: readonly ScriptStep[] = [
  { search: 'ReportFindings', limit: 1, stop: 'pause_turn' },
  { text: 'went on after a pause' },
];

/**
 * RU2 asks for three sessions that declared a tool and did not use it. Their prompts differ from the first
 * word on, and so do their billing lines: no session finds the other's prefix in the cache.
 */
async function playEarlierSessions(client: ClaudeCode): Promise<readonly ClaudeCodeOutcome[]> {
  const outcomes: ClaudeCodeOutcome[] = [];
  for (const name of ['First', 'Second', 'Third']) {
    const input = { command: `echo ${name}`, description: 'say which' };
    const prompt = scripted(`${name} session.`, [{ tool: 'Bash', input }, { text: 'said' }]);
    outcomes.push(await client.run(prompt, { allowedTools: ['Bash'] }));
  }
  return outcomes;
}
