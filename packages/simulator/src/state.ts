import { randomBytes } from 'node:crypto';
import type { Model } from '@quartermaster/catalog';
import { ApiError, errorEnvelope } from './api-error.ts';
import { createRequestLog } from './bill.ts';
import type { RequestDraft, RequestLog, SimulatedRequest } from './bill.ts';
import { createPromptCache } from './cache.ts';
import type { PromptCache } from './cache.ts';
import type { Exchange } from './exchange.ts';
import { createFaultMemory } from './faults.ts';
import type { FaultMemory } from './faults.ts';
import type { SimulatorOptions } from './options.ts';
import { sendJson } from './respond.ts';
import { rememberCounts } from './token-counter.ts';
import type { TokenCounter } from './token-counter.ts';

type Failure = Pick<SimulatedRequest, 'status' | 'error'>;

/** What one simulator holds between requests. */
export interface SimulatorState {
  readonly options: SimulatorOptions;
  readonly cache: PromptCache;
  readonly faults: FaultMemory;
  readonly log: RequestLog;
  readonly ids: (prefix: string) => string;
  /** Counts in the model's own tokens. */
  counterOf(model: Model): TokenCounter;
  record(request: RequestDraft, body: Buffer): void;
  /** Answers with the API's error envelope after handing the failure to `record`. */
  fail(exchange: Exchange, error: unknown, record: (failure: Failure) => void): void;
  /** Forgets everything but the options. */
  reset(): void;
}

export function createState(options: SimulatorOptions): SimulatorState {
  const log = createRequestLog();
  const count = rememberCounts(options.countTokens);
  const cache = createPromptCache();
  const faults = createFaultMemory();
  const makeId = options.ids ?? ((): string => randomBytes(12).toString('hex'));
  return {
    options,
    cache,
    faults,
    log,
    ids: (prefix) => prefix + makeId(),
    counterOf: (model) => (text) => Math.round(count(text) * model.billedPerO200k),
    record(request, body) {
      const numbered = log.add(request);
      options.onRequest?.(numbered, body);
    },
    fail(exchange, error, record) {
      const { status, type, message, detail } = describeError(error);
      record({ status, error: { type, message } });
      if (exchange.response.headersSent) {
        exchange.response.destroy();
        return;
      }
      sendJson(exchange.response, errorEnvelope({ type, message, detail }, exchange.requestId), {
        status,
        headers: { 'request-id': exchange.requestId },
      });
    },
    reset() {
      log.clear();
      cache.clear();
      faults.clear();
    },
  };
}

/** Anything but an {@link ApiError} is a fault of the simulator itself, and says so. */
function describeError(error: unknown): {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly detail: string | undefined;
} {
  if (error instanceof ApiError) {
    return { status: error.status, type: error.code, message: error.message, detail: error.detail };
  }
  const message = `simulator failed: ${error instanceof Error ? error.message : String(error)}`;
  return { status: 500, type: 'api_error', message, detail: undefined };
}
