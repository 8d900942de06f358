import { AgentError } from '../agent-error.ts';
import type { KnownModels } from './known-models.ts';
import { findListing } from './listing.ts';
import type { Found } from './listing.ts';
import type { CachedListing, ModelCache } from './model-cache.ts';
import type { ModelProvider } from './model-lister.ts';
import type { ModelUse } from './model-use.ts';
import { resolveModel } from './resolve-model.ts';
import type { ResolvedModel } from './resolve-model.ts';

/** Long enough for every page of a slow provider, short enough to wait for at a start. */
export const defaultListingDeadlineMs = 10_000;
/** New models come by the week. */
export const defaultListingAgeMs = 24 * 60 * 60 * 1_000;

/** What a directory is made of. */
export interface ModelDirectoryOptions {
  readonly providers: readonly ModelProvider[];
  readonly clock: { now(): number };
  /** Said to the log: a successor in use, a model nobody could check, a provider that could not be asked. */
  readonly warn: (message: string) => void;
  /** Where listings are kept between runs; nowhere by default. */
  readonly cache?: ModelCache;
  /** For each provider, all of them asked at once. Default: `defaultListingDeadlineMs`. */
  readonly deadlineMs?: number;
  /** How long a kept listing is believed. Default: `defaultListingAgeMs`. */
  readonly maxAgeMs?: number;
}

/** Knows which models there are. */
export interface ModelDirectory {
  /**
   * Asks every provider whose kept listing is too old, all at once. A provider that does not answer in time is warned of,
   * and has no authority until it does (M2). Rejects only with the reason of `signal`.
   */
  discover(options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * The models of all uses, in their order, discovered first where nobody has done so. Throws `MODEL_UNKNOWN` that names
   * all that do not exist: either every one may be used or none is applied (M1).
   */
  resolve(
    uses: readonly ModelUse[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly ResolvedModel[]>;
}

/** Makes a directory that has asked nobody yet. */
export function createModelDirectory(options: ModelDirectoryOptions): ModelDirectory {
  let known: readonly KnownModels[] | undefined;
  const discover = async (signal: AbortSignal): Promise<readonly KnownModels[]> => {
    const kept = (await options.cache?.read()) ?? {};
    const terms = {
      clock: options.clock,
      warn: options.warn,
      deadlineMs: options.deadlineMs ?? defaultListingDeadlineMs,
      maxAgeMs: options.maxAgeMs ?? defaultListingAgeMs,
      signal,
    };
    const found = await Promise.all(options.providers.map((provider) => findListing(provider, kept, terms)));
    signal.throwIfAborted();
    if (found.some(({ isNew }) => isNew)) await keep(options, kept, found);
    return found.map(({ provider, listing, isAuthoritative }) => ({
      provider,
      ids: isAuthoritative ? (listing?.ids ?? []) : [...provider.staticModels, ...(listing?.ids ?? [])],
      isAuthoritative,
    }));
  };
  return {
    async discover({ signal }) {
      known = await discover(signal);
    },
    async resolve(uses, { signal }) {
      known ??= await discover(signal);
      return resolveAll(uses, known, options.warn);
    },
  };
}

function resolveAll(
  uses: readonly ModelUse[],
  known: readonly KnownModels[],
  warn: (message: string) => void,
): readonly ResolvedModel[] {
  const readings = uses.map((use) => resolveModel(use, known));
  const refused = readings.flatMap((reading) => (reading.type === 'refused' ? [reading.reason] : []));
  if (refused.length > 0) throw new AgentError('MODEL_UNKNOWN', refused.join('\n'));
  const resolved = readings.filter((reading) => reading.type === 'resolved');
  for (const { warning } of resolved) if (warning !== undefined) warn(warning);
  return resolved.map(({ model }) => model);
}

/** A cache that can't be written costs the next start a question. */
async function keep(
  { cache, warn }: ModelDirectoryOptions,
  kept: Readonly<Record<string, CachedListing>>,
  found: readonly Found[],
): Promise<void> {
  const fresh = found.flatMap(({ provider, listing, isNew }) =>
    isNew && listing ? [[provider.name, listing]] : [],
  );
  try {
    await cache?.write({ ...kept, ...Object.fromEntries(fresh) });
  } catch (error) {
    warn(`The listings of models could not be kept: ${String(error)}`);
  }
}
