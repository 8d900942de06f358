import { setTimeout as wait } from 'node:timers/promises';
import type { ModelApi } from '@quartermaster/agent/messages';
import { describeFailure } from './describe-failure.ts';
import { isPassing } from './http-failure.ts';
import { knownModel } from './known-model.ts';
import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts';
import { defaultCallTerms } from './model-options.ts';
import type { LanguageModelOptions } from './model-options.ts';
import { retryDelayMs } from './retry-delay.ts';
import { AnswerError } from './vendor-call.ts';
import type { Refusal, VendorCall } from './vendor-call.ts';
import { watchSilence } from './watch-silence.ts';
import type { SilenceWatch } from './watch-silence.ts';

/** A try that failed. */
interface Failed {
  readonly refusal: Refusal;
  /** Something of its answer was given to the caller: what was shown can't be taken back (R1). */
  readonly wasShown: boolean;
}

/** Makes a model of a vendor's call: retries, the deadline for silence and errors are the same for all. */
export function createVendorModel(
  api: ModelApi,
  call: VendorCall,
  options: LanguageModelOptions,
): LanguageModel {
  const { provider, id } = options;
  return {
    provider,
    id,
    api,
    contextTokens: knownModel(options)?.capabilities.contextTokens,
    stream: (request, { signal }) => streamWithRetries(call, options, { request, signal }),
  };
}

interface Asked {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

async function* streamWithRetries(
  call: VendorCall,
  options: LanguageModelOptions,
  { request, signal }: Asked,
): AsyncGenerator<ModelEvent> {
  const terms = { ...defaultCallTerms, ...options.terms };
  const { sleep = defaultSleep, random = Math.random } = options;
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const failed = yield* tryOnce(call, options, { request, signal });
    if (failed === undefined) return;
    const delayMs = failed.refusal.retryAfterMs ?? retryDelayMs(tries, random);
    const isOver = failed.wasShown || !failed.refusal.isWorthRetrying || tries >= terms.maxRetries;
    if (isOver || delayMs > terms.maxRetryDelayMs) {
      throw describeFailure(failed.refusal, { model: options, request, apiKey: options.apiKey });
    }
    await sleep(delayMs, { signal });
  }
}

/** Throws the signal's reason, and what failed before anything was sent: that is a fault of ours, and no exchange. */
async function* tryOnce(
  call: VendorCall,
  options: LanguageModelOptions,
  { request, signal }: Asked,
): AsyncGenerator<ModelEvent, Failed | undefined> {
  const { maxSilenceMs } = { ...defaultCallTerms, ...options.terms };
  const watch = watchSilence({ maxSilenceMs, signal, fetch: options.fetch ?? fetch });
  let wasShown = false;
  try {
    for await (const event of call.events(request, watch)) {
      signal.throwIfAborted();
      wasShown = true;
      watch.pause();
      yield event;
      watch.resume();
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!watch.hasAsked()) throw error;
    return { refusal: readFailure(error, { call, watch, maxSilenceMs }), wasShown };
  } finally {
    watch.close();
  }
}

function readFailure(
  error: unknown,
  {
    call,
    watch,
    maxSilenceMs,
  }: {
    readonly call: VendorCall;
    readonly watch: SilenceWatch;
    readonly maxSilenceMs: number;
  },
): Refusal {
  if (watch.isSilent()) {
    const said = `nothing came for ${maxSilenceMs} ms`;
    return { code: 'PROVIDER_SILENT', said, isWorthRetrying: true };
  }
  const refusal = call.readRefusal(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof AnswerError) {
    return { code: error.code, said: error.message, isWorthRetrying: isPassing(error.code) };
  }
  const code = watch.hasAnswered() ? 'PROVIDER_STREAM_BROKEN' : 'PROVIDER_UNREACHABLE';
  return { code, said: `${namesOf(error).join(', ')}`, isWorthRetrying: true };
}

/**
 * What went wrong below the API, outermost first: `TypeError, ECONNREFUSED`. Names alone, since a message may quote the
 * answer that could not be read, or the URL.
 */
function namesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error];
  const name = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.cause === undefined ? [name] : [name, ...namesOf(error.cause)];
}

async function defaultSleep(ms: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
