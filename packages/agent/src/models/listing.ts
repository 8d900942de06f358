import type { CachedListing } from './model-cache.ts';
import type { ModelLister, ModelProvider } from './model-lister.ts';

/** What a provider's models were found to be. */
export interface Found {
  readonly provider: ModelProvider;
  /** The new one, else the one that was kept. */
  readonly listing: CachedListing | undefined;
  readonly isAuthoritative: boolean;
  readonly isNew: boolean;
}

/** On which terms a provider is asked. */
export interface ListingTerms {
  readonly clock: { now(): number };
  readonly warn: (message: string) => void;
  readonly deadlineMs: number;
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** The kept listing where it is young enough, else a new one; an old one has no authority (M2). Never rejects. */
export async function findListing(
  provider: ModelProvider,
  kept: Readonly<Record<string, CachedListing>>,
  terms: ListingTerms,
): Promise<Found> {
  const { lister, name } = provider;
  if (lister === undefined) return { provider, listing: undefined, isAuthoritative: false, isNew: false };
  const nowMs = terms.clock.now();
  const old = findKept(kept, name, lister.scope);
  if (old !== undefined && old.atMs <= nowMs && nowMs < old.atMs + terms.maxAgeMs) {
    return { provider, listing: old, isAuthoritative: true, isNew: false };
  }
  try {
    const ids = await ask(lister, terms);
    if (ids.length === 0) throw new Error('it listed no model at all');
    const listing = { scope: lister.scope, atMs: nowMs, ids: [...ids] };
    return { provider, listing, isAuthoritative: true, isNew: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!terms.signal.aborted) terms.warn(`The models of ${name} could not be listed: ${reason}`);
    return { provider, listing: old, isAuthoritative: false, isNew: false };
  }
}

/** What another credential or address was answered says nothing here. */
function findKept(
  kept: Readonly<Record<string, CachedListing>>,
  name: string,
  scope: string,
): CachedListing | undefined {
  const listing = Object.hasOwn(kept, name) ? kept[name] : undefined;
  return listing?.scope === scope ? listing : undefined;
}

/** Settles by the deadline, whatever the lister does. */
async function ask(
  lister: ModelLister,
  { deadlineMs, signal }: Pick<ListingTerms, 'deadlineMs' | 'signal'>,
): Promise<readonly string[]> {
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Error(`expected an answer within ${deadlineMs} ms, came none`);
  const timer = setTimeout(() => reject(late), deadlineMs);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([lister.list({ signal: over.signal }), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}
