import type { NamesPlace, RuleReason } from '@quartermaster/deferral';

/** Why a thread is left as its client sends it. */
export type NothingReason =
  | 'bypass'
  | 'check-failed'
  | 'claim-unconfirmed'
  | 'deferral-off'
  | 'history-not-loaded'
  | 'holdout'
  | 'model-unknown'
  | 'model-without-tool-search'
  | 'no-place-for-mark'
  | 'no-place-for-names'
  | 'no-seldom-used-tool'
  | 'no-store'
  | 'older-conversation'
  | 'opt-out-unreadable'
  | 'opted-out'
  | 'record-unreadable'
  | 'refused'
  | 'turned-off'
  | 'unchecked';

/** Why a tool that the account listed for removal stays in a thread (PR3). */
export type KeptReason = 'named-in-system-prompt' | 'forced' | 'used-in-thread' | 'last-tool';

/** What a thread leaves out, fixed at its first request (PR4). */
export interface Removal {
  /** What the account had listed, sorted: a tool's name, or `mcp__server`. */
  readonly units: readonly string[];
  /** Tools that stay although they are listed; also some that come late, if the first system prompt names them. */
  readonly kept: Readonly<Record<string, KeptReason>>;
  /** The tools that the first request lost by it, sorted. */
  readonly tools: readonly string[];
  /** o200k tokens of their declarations. */
  readonly tokensO200k: number;
}

/**
 * What is done to every request of one thread, fixed at its first and stored (O1). The texts that enter the prompt
 * stand in it as bytes, so that a later version of this program renders a live thread as this one did.
 */
export type Decision =
  | {
      readonly type: 'nothing';
      readonly reason: NothingReason;
      /** The thread lost its prefix (RF4): its older thinking blocks fit no request any more, and each has to say so. */
      readonly hasLostPrefix?: boolean;
    }
  /** Some declarations are left out; none is deferred, for `reason`. */
  | { readonly type: 'remove'; readonly removal: Removal; readonly reason: NothingReason }
  | {
      readonly type: 'defer';
      /** What is left out beside; absent where the account had listed nothing. */
      readonly removal?: Removal;
      /** Sorted: a tool's name, or `mcp__server`. */
      readonly units: readonly string[];
      readonly namesList: string;
      readonly namesPlace: NamesPlace;
      /** The entry added to `tools`, as JSON. */
      readonly searchTool: string;
      /** o200k tokens of the deferred declarations at the first request. */
      readonly deferredTokensO200k: number;
      readonly reasons: Readonly<Record<string, RuleReason>>;
      /** Made again in mid-thread after its record was lost (O4); it can differ from what was lost. */
      readonly isRebuilt?: boolean;
    };

/** A decision by which requests are edited. */
export type EditDecision = Exclude<Decision, { type: 'nothing' }>;

/** A version that knows fewer types reads "remove" as not of its making, and "defer" without the removal. */
const version = 1;
const types: ReadonlySet<unknown> = new Set<Decision['type']>(['nothing', 'remove', 'defer']);

/** The form in which the store keeps it. */
export function printDecision(decision: Decision): string {
  return JSON.stringify({ version, ...decision });
}

/** Reads a stored decision. `undefined`: not of this version's making, so nothing can be said about the thread. */
export function parseDecision(text: string): Decision | undefined {
  try {
    const parsed = JSON.parse(text) as { readonly version?: unknown } & Decision;
    if (parsed.version !== version || !types.has(parsed.type)) return undefined;
    const { version: _, ...decision } = parsed;
    return decision;
  } catch {
    return undefined;
  }
}
