import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts';
import { ModelError } from './model-error.ts';
import type { ModelErrorCode } from './model-error.ts';
import { providerErrors } from './provider-error.ts';

/** One model that could not answer, and the one that is asked in its place. */
export interface Fallback {
  readonly from: LanguageModel;
  readonly to: LanguageModel;
  readonly error: ModelError;
}

/** What a fallback goes by. */
export interface FallbackOptions {
  readonly clock: { now(): number };
  /** Called before the other model is asked. Must not throw. */
  readonly onFallback?: (fallback: Fallback) => void;
  /** How long a model that failed is passed over, where it does not say itself when to come back. */
  readonly restMs?: number;
}

/** As long as the vendors' limits of a minute. */
export const defaultRestMs = 60_000;

/**
 * Asks the first of `models` and, where it has no capacity, can't be reached or has no allowance left, the next (RP3).
 * Not where the request or the key is at fault, or there is no such model: what would hide that bills another provider
 * for ever. And only before anything of the failed answer was given (R1). A model that failed rests before it is first
 * again, so that not each call waits for its retries. Its window is the smallest of all, since any may be next.
 */
export function createFallbackModel(
  models: readonly [LanguageModel, ...LanguageModel[]],
  options: FallbackOptions,
): LanguageModel {
  const [{ provider, id, api }] = models;
  const restUntil = new Map<LanguageModel, number>();
  const windows = models.flatMap(({ contextTokens }) => contextTokens ?? []);
  return {
    provider,
    id,
    api,
    contextTokens: windows.length === 0 ? undefined : Math.min(...windows),
    stream: (request, { signal }) => streamFirst(inOrder(models, restUntil, options), request, { signal }),
  };

  async function* streamFirst(
    [model, ...others]: readonly LanguageModel[],
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    if (model === undefined) return;
    let wasShown = false;
    try {
      for await (const event of model.stream(request, { signal })) {
        wasShown = true;
        yield event;
      }
    } catch (error) {
      if (wasShown || !(error instanceof ModelError) || !isUnavailable(error.code)) throw error;
      restUntil.set(model, options.clock.now() + (error.retryAfterMs ?? options.restMs ?? defaultRestMs));
      const [to] = others;
      if (to === undefined) throw error;
      options.onFallback?.({ from: model, to, error });
      yield* streamFirst(others, request, { signal });
    }
  }
}

/** Those that rest come last. */
function inOrder(
  models: readonly LanguageModel[],
  restUntil: ReadonlyMap<LanguageModel, number>,
  { clock }: FallbackOptions,
): readonly LanguageModel[] {
  const isResting = (model: LanguageModel): boolean => clock.now() < (restUntil.get(model) ?? 0);
  return [...models.filter((model) => !isResting(model)), ...models.filter(isResting)];
}

function isUnavailable(code: ModelErrorCode): boolean {
  return providerErrors[code].retryable || code === 'PROVIDER_QUOTA_SPENT';
}
