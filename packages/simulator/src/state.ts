import { randomBytes } from 'node:crypto';
import type { Model } from '@quartermaster/catalog';
import { createRequestLog } from './bill.ts';
import type { RequestDraft, RequestLog, SimulatedRequest } from './bill.ts';
import { createPromptCache } from './anthropic/cache.ts';
import type { PromptCache } from './anthropic/cache.ts';
import type { Exchange } from './exchange.ts';
import { createFaultMemory } from './faults.ts';
import type { FaultMemory } from './faults.ts';
import { createStoredResponses } from './openai/responses/stored-responses.ts';
import type { StoredResponses } from './openai/responses/stored-responses.ts';
import type { SimulatorOptions } from './options.ts';
import { createPrefixCache } from './prefix-cache.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { refusalOf } from './refusal.ts';
import { sendJson } from './send-json.ts';
import { rememberCounts } from './token-counter.ts';
import type { TokenCounter } from './token-counter.ts';

type Failure = Pick<SimulatedRequest, 'status' | 'error'>;

/** What one simulator holds between requests. */
export interface SimulatorState {
  readonly options: SimulatorOptions;
  /** Of the Messages API, by marks. */
  readonly cache: PromptCache;
  /** Of the APIs that cache by themselves. */
  readonly prefixes: PrefixCache;
  readonly stored: StoredResponses;
  readonly faults: FaultMemory;
  readonly log: RequestLog;
  readonly ids: (prefix: string) => string;
  /** Tokens that the model's prompt may have. */
  windowOf(modelId: string, byDefault: number): number;
  /** Counts in the model's own tokens. */
  counterOf(model: Pick<Model, 'billedPerO200k'>): TokenCounter;
  record(request: RequestDraft, body: Buffer): void;
  /** Answers with the vendor's error envelope after handing the failure to `record`. */
  fail(exchange: Exchange, error: unknown, record: (failure: Failure) => void): void;
  /** Forgets everything but the options. */
  reset(): void;
}

export function createState(options: SimulatorOptions): SimulatorState {
  const log = createRequestLog();
  const count = rememberCounts(options.countTokens);
  const cache = createPromptCache();
  const prefixes = createPrefixCache();
  const stored = createStoredResponses();
  const faults = createFaultMemory();
  const makeId = options.ids ?? ((): string => randomBytes(12).toString('hex'));
  return {
    options,
    cache,
    prefixes,
    stored,
    faults,
    log,
    ids: (prefix) => prefix + makeId(),
    windowOf: (modelId, byDefault) => options.contextTokens?.[modelId] ?? byDefault,
    counterOf: (model) => (text) => Math.round(count(text) * model.billedPerO200k),
    record(request, body) {
      const numbered = log.add(request);
      options.onRequest?.(numbered, body);
    },
    fail(exchange, error, record) {
      const { response, vendor, requestId } = exchange;
      const refusal = refusalOf(error, vendor);
      const { status, type, message } = refusal;
      record({ status, error: { type, message } });
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const headers = { [vendor.requestIdHeader]: requestId };
      sendJson(response, vendor.errorBody(refusal, requestId), { status, headers });
    },
    reset() {
      log.clear();
      cache.clear();
      prefixes.clear();
      stored.clear();
      faults.clear();
    },
  };
}
