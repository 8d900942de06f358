import type { RequestCost } from '@quartermaster/catalog';
import type { JsonObject } from './json.ts';

/** One request as the simulator saw and billed it; plain JSON, without a word of the prompt. */
export interface SimulatedRequest {
  /** From 0, since the start or the last reset. */
  readonly index: number;
  /** Epoch ms. */
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The reply's; 0 where the connection was broken before one. */
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string } | null;
  /** As asked; `null` where the body could not be read. */
  readonly model: string | null;
  /** `x-claude-code-session-id`, else `x-session-id`. */
  readonly session: string | null;
  /** `x-claude-code-agent-id`. */
  readonly agent: string | null;
  readonly stream: boolean;
  readonly toolsDeclared: readonly string[];
  readonly toolsDeferred: readonly string[];
  /** Of `JSON.stringify(tools)` of the parsed body: key order counts, white space and escapes do not. */
  readonly toolsSha256: string | null;
  /** One per position in render order, the first for the model: 16 hex digits of the hash of everything up to it. */
  readonly renderedPrefixHashes: readonly string[];
  /** Rendered tokens of tools and system. */
  readonly prefixTokens: number;
  /** The last usage of the reply, in the API's shape. */
  readonly usage: JsonObject | null;
  readonly cost: RequestCost | null;
  /** Whether a thinking block of the history stood in another conversation than its own (refused or dropped). */
  readonly brokenBinding: boolean;
}

/** A request's record before it has its number. */
export type RequestDraft = Omit<SimulatedRequest, 'index'>;

/** What all requests cost since the start or the last reset. */
export interface Bill {
  readonly totalUsd: number;
  readonly byTier: Omit<RequestCost, 'totalUsd'>;
  /** Requests that were answered, and so billed. */
  readonly requests: number;
}

export interface RequestLog {
  /** Answers the record with its number. */
  add(request: RequestDraft): SimulatedRequest;
  requests(): readonly SimulatedRequest[];
  bill(): Bill;
  clear(): void;
}

/** Older records are forgotten; their cost stays on the bill. */
const maxRequests = 10_000;

export function createRequestLog(): RequestLog {
  const kept: SimulatedRequest[] = [];
  let count = 0;
  let sum: RequestCost = noCost;
  let billed = 0;
  return {
    add(request) {
      const record = { index: count, ...request };
      kept.push(record);
      count += 1;
      if (kept.length > maxRequests) kept.shift();
      if (request.cost === null) return record;
      sum = addCosts(sum, request.cost);
      billed += 1;
      return record;
    },
    requests: () => [...kept],
    bill() {
      const { totalUsd, ...byTier } = sum;
      return { totalUsd, byTier, requests: billed };
    },
    clear() {
      kept.length = 0;
      count = 0;
      sum = noCost;
      billed = 0;
    },
  };
}

const noCost: RequestCost = {
  inputUsd: 0,
  cacheReadUsd: 0,
  cacheWriteShortUsd: 0,
  cacheWriteLongUsd: 0,
  outputUsd: 0,
  totalUsd: 0,
};

function addCosts(a: RequestCost, b: RequestCost): RequestCost {
  return {
    inputUsd: a.inputUsd + b.inputUsd,
    cacheReadUsd: a.cacheReadUsd + b.cacheReadUsd,
    cacheWriteShortUsd: a.cacheWriteShortUsd + b.cacheWriteShortUsd,
    cacheWriteLongUsd: a.cacheWriteLongUsd + b.cacheWriteLongUsd,
    outputUsd: a.outputUsd + b.outputUsd,
    totalUsd: a.totalUsd + b.totalUsd,
  };
}
