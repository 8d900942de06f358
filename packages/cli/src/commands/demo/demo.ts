import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import { awaitStopSignal } from '../../stop-signal.ts';
import type { Surroundings } from '../../surroundings.ts';
import { loadTokenCounter } from '../../token-counter.ts';
import type { CommandOptions } from '../setting-flags.ts';
import { coreTools } from './core-tools.ts';
import { measure } from './measure.ts';
import { formatReport } from './report.ts';
import { playSession } from './scripted-client.ts';
import { seldomTools } from './seldom-tools.ts';
import { writeSessions, type Session } from './sessions.ts';
import { startGateway, startProvider, type Provider } from './stage.ts';

const tools = [...coreTools, ...seldomTools].toSorted((a, b) => (a.name < b.name ? -1 : 1));
/** So long after each other that no cache entry of one session lives until the next. */
const betweenSessionsMs = 2 * 3_600_000;
const checkDeadlineMs = 10_000;
const checkEveryMs = 20;

/**
 * `qm demo`: plays four sessions of a coding agent straight against a simulated provider, and the same four through
 * a gateway, and prints what was deferred and both bills. Raises `CLI_DEMO_FAILED` where nothing was deferred.
 */
export async function runDemo(options: CommandOptions, surroundings: Surroundings): Promise<void> {
  using stop = awaitStopSignal(surroundings);
  const { out, ids } = surroundings;
  const stage = { surroundings, countTokens: await loadTokenCounter() };
  const sessions = writeSessions(ids);

  await using straight = await startProvider(stage);
  await using provider = await startProvider(stage);
  await using gateway = await startGateway(provider, stage);
  await playAll(sessions, straight, straight.url);
  const found = await playAll(sessions, provider, `${gateway.url}/anthropic`, () => awaitCheck(gateway.url));

  const result = measure(sessions, { without: straight.simulator, with: provider.simulator });
  if (result.sessions.at(-1)?.toolsDeferred === 0) {
    throw new CliError(
      'CLI_DEMO_FAILED',
      `Nothing was deferred; ${gateway.url}/stats said: ${await readStats(gateway.url)}`,
    );
  }
  const served =
    options['serve'] === true ? { gatewayUrl: gateway.url, simulatorUrl: provider.url } : undefined;
  out.write(
    options['json'] === true
      ? `${JSON.stringify({ ...result, ...served })}\n`
      : formatReport(result, { found, served }),
  );
  if (served !== undefined) await stop.asked;
}

/** Plays the sessions one after the other; answers the tools that the model found by search. */
async function playAll(
  sessions: readonly Session[],
  provider: Provider,
  baseUrl: string,
  afterFirst: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, session] of sessions.entries()) {
    found.push(...(await playSession(session, { baseUrl, tools })));
    if (index === 0) await afterFirst();
    provider.advance(betweenSessionsMs);
  }
  return found;
}

/** The first session has the gateway check that the provider can defer; until that has passed nothing is deferred. */
async function awaitCheck(url: string): Promise<void> {
  const deadline = AbortSignal.timeout(checkDeadlineMs);
  while (!deadline.aborted) {
    if (/"verdict":"pass"/.test(await readStats(url))) return;
    await sleep(checkEveryMs);
  }
  throw new CliError(
    'CLI_DEMO_FAILED',
    `The gateway's check did not pass within ${checkDeadlineMs} ms: ${await readStats(url)}`,
  );
}

async function readStats(url: string): Promise<string> {
  const response = await fetch(`${url}/stats`);
  return response.text();
}
