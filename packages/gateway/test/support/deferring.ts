import type { Store } from '@quartermaster/store';
import type { GatewayOptions } from '../../src/index.ts';
import type { Body } from './anthropic-body.ts';
import { type CodingAgent, type CodingAgentOptions, createCodingAgent } from './coding-agent.ts';
import { type RunningGateway, startGateway } from './gateway.ts';
import { type ArrivedRequest, countByLength, type RunningSimulator } from './simulated.ts';
import { until } from './until.ts';

/** A prompt whose script uses Bash and nothing else. */
export const bashOnly = '@@[{"tool":"Bash","input":{}},{"text":"done"}]@@';

/** A gateway in `ultrahigh` in front of the simulated provider. */
export function openGateway(
  store: Store | undefined,
  simulator: RunningSimulator,
  over: Partial<GatewayOptions> = {},
): Promise<RunningGateway> {
  return startGateway(simulator.url, {
    preset: 'ultrahigh',
    countTokens: countByLength,
    ...(store === undefined ? {} : { store }),
    ...over,
  });
}

/** Sessions that use Bash only, three by default, and a passed check: the next conversation may be deferred. */
export async function learn(
  gateway: RunningGateway,
  { sessions = 3, ...over }: Partial<CodingAgentOptions> & { readonly sessions?: number } = {},
): Promise<void> {
  for (let session = 0; session < sessions; session += 1) {
    await createCodingAgent({ url: gateway.url, ...over }).turn(bashOnly);
  }
  const model = over.model ?? 'claude-opus-5-5';
  await until(async () => {
    const { verdicts } = (await gateway.stats()).tool_defer;
    return verdicts.some((known) => known.verdict === 'pass' && known.model === model);
  });
}

export function bodyOf(arrived: ArrivedRequest | undefined): Body {
  return JSON.parse(require(arrived).body) as Body;
}

/** Names of the tools that arrived deferred, in the order of the request. */
export function deferredIn(arrived: ArrivedRequest | undefined): string[] {
  const deferred = bodyOf(arrived).tools.filter(({ defer_loading: isDeferred }) => isDeferred === true);
  return deferred.map(({ name }) => name);
}

export function requestsOf(
  simulator: RunningSimulator,
  { session }: Pick<CodingAgent, 'session'>,
): ArrivedRequest[] {
  return simulator.arrived.filter(({ request }) => request.session === session);
}

/** The bytes of `tools` as they arrived; the client prints `metadata` behind them. */
export function toolsBytes(arrived: ArrivedRequest | undefined): string {
  const { body } = require(arrived);
  const start = body.indexOf('"tools":');
  return body.slice(start, body.indexOf(',"metadata"', start));
}

function require(arrived: ArrivedRequest | undefined): ArrivedRequest {
  if (arrived === undefined) throw new Error('the request that the test asks for never came');
  return arrived;
}
