import type { Bill, SimulatedRequest, Simulator } from '@quartermaster/simulator';
import type { Session } from './sessions.ts';

/** One session as the provider saw it. Tokens are the provider's own. */
export interface SessionFigures {
  /** From 1. */
  readonly session: number;
  readonly toolsDeclared: number;
  readonly toolsDeferred: number;
  /** All input of the session's first request: tools, instructions, the user's first words. */
  readonly prefixTokensWithout: number;
  /** The same through the gateway: the list of deferred names is in it. */
  readonly prefixTokensWith: number;
  /** Written to the cache in the whole session, through the gateway. */
  readonly prefixTokensWritten: number;
  readonly prefixTokensRead: number;
}

/** What the demo has to show; all of it is what the simulated providers rendered and billed. */
export interface DemoResult {
  readonly sessions: readonly SessionFigures[];
  readonly billUsdWithout: number;
  /** Everything that went through the gateway, its own check included. */
  readonly billUsdWith: number;
  readonly billByTier: { readonly without: Bill['byTier']; readonly with: Bill['byTier'] };
}

/** Reads both providers' records. */
export function measure(
  sessions: readonly Session[],
  simulators: { readonly without: Simulator; readonly with: Simulator },
): DemoResult {
  const without = simulators.without.bill();
  const withGateway = simulators.with.bill();
  return {
    sessions: sessions.map(({ id }, index) => ({
      session: index + 1,
      ...figuresOf(requestsOf(simulators.without, id), requestsOf(simulators.with, id)),
    })),
    billUsdWithout: without.totalUsd,
    billUsdWith: withGateway.totalUsd,
    billByTier: { without: without.byTier, with: withGateway.byTier },
  };
}

function figuresOf(
  without: readonly SimulatedRequest[],
  through: readonly SimulatedRequest[],
): Omit<SessionFigures, 'session'> {
  return {
    toolsDeclared: without[0]?.toolsDeclared.length ?? 0,
    toolsDeferred: through[0]?.toolsDeferred.length ?? 0,
    prefixTokensWithout: inputOf(without[0]),
    prefixTokensWith: inputOf(through[0]),
    prefixTokensWritten: sum(through, 'cache_creation_input_tokens'),
    prefixTokensRead: sum(through, 'cache_read_input_tokens'),
  };
}

function requestsOf(simulator: Simulator, session: string): readonly SimulatedRequest[] {
  return simulator.requests().filter((request) => request.session === session);
}

function inputOf(request: SimulatedRequest | undefined): number {
  const kinds = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  return kinds.reduce((total, kind) => total + usageOf(request, kind), 0);
}

function sum(requests: readonly SimulatedRequest[], kind: string): number {
  return requests.reduce((total, request) => total + usageOf(request, kind), 0);
}

function usageOf(request: SimulatedRequest | undefined, kind: string): number {
  return Number(request?.usage?.[kind] ?? 0);
}
