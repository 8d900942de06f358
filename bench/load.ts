import http from 'node:http';
import type { SessionRequests } from './request-body.ts';

/** Where requests go and what the contender there needs to see. */
export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Load {
  readonly concurrency: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** From the start of a request to the end of its answer, in ms; of those with status 200. */
  readonly latenciesMs: readonly number[];
  /** The same to the first byte of the body. */
  readonly firstByteMs: readonly number[];
  /** Statuses other than 200, with their counts; 0: no whole answer. */
  readonly failures: ReadonlyMap<number, number>;
}

/** Opens each session with its first request, as a client does. */
export async function openSessions(target: Target, sessions: readonly SessionRequests[]): Promise<void> {
  using agent = createAgent(1);
  for (const { session, opening } of sessions) await send(agent.agent, target, { session, body: opening });
}

/** Sends the sessions' turns in order, over and over, as fast as `concurrency` connections allow. */
export async function runLoad(
  target: Target,
  sessions: readonly SessionRequests[],
  { concurrency, durationMs }: Load,
): Promise<LoadResult> {
  using agent = createAgent(concurrency);
  const requests = interleave(sessions);
  const latenciesMs: number[] = [];
  const firstByteMs: number[] = [];
  const failures = new Map<number, number>();
  const startMs = performance.now();
  let sent = 0;
  const sendUntilDone = async (): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      const request = requests[sent++ % requests.length];
      if (request === undefined) return;
      const answer = await send(agent.agent, target, request);
      if (answer.status === 200) {
        latenciesMs.push(answer.totalMs);
        firstByteMs.push(answer.firstByteMs);
      } else {
        failures.set(answer.status, (failures.get(answer.status) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendUntilDone));
  return { elapsedMs: performance.now() - startMs, latenciesMs, firstByteMs, failures };
}

interface Request {
  readonly session: string;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

function createAgent(maxSockets: number): Disposable & { readonly agent: http.Agent } {
  const agent = new http.Agent({ keepAlive: true, maxSockets, scheduling: 'lifo' });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}

/** Turn 1 of every session, then turn 2 of every session: neighbours are never of one conversation. */
function interleave(sessions: readonly SessionRequests[]): readonly Request[] {
  const turns = sessions[0]?.turns.length ?? 0;
  return Array.from({ length: turns }, (_, turn) =>
    sessions.flatMap(({ session, turns: bodies }) => {
      const body = bodies[turn];
      return body === undefined ? [] : [{ session, body }];
    }),
  ).flat();
}

/** Never rejects: what can't be sent counts as a failure of the contender. */
function send(
  agent: http.Agent,
  { port, path, headers }: Target,
  { session, body }: Request,
): Promise<Answer> {
  const startMs = performance.now();
  let firstByteMs = Number.NaN;
  return new Promise((resolve) => {
    const fail = (): void => resolve({ status: 0, firstByteMs, totalMs: performance.now() - startMs });
    const request = http.request({
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: {
        ...clientHeaders,
        ...headers,
        'x-claude-code-session-id': session,
        'content-length': body.length,
      },
    });
    request.once('error', fail);
    request.once('response', (response) => {
      response.once('data', () => (firstByteMs = performance.now() - startMs));
      response.once('error', fail);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, firstByteMs, totalMs: performance.now() - startMs }),
      );
    });
    request.end(body);
  });
}

/** As many and as long as a coding agent's. */
const clientHeaders = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'quartermaster-bench/1.0 (external, cli)',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14',
  'x-api-key': 'no-secret-a-bench-only',
  'x-stainless-lang': 'js',
  'x-stainless-runtime': 'node',
  'x-stainless-retry-count': '0',
  'x-app': 'cli',
};
