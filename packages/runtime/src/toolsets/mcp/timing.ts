/** Time and chance; tests pass their own. */
export interface McpTiming {
  readonly clock: { now(): number };
  /** Resolves after so many ms; rejects once the signal is aborted. */
  readonly sleep: (ms: number, options: { readonly signal: AbortSignal }) => Promise<unknown>;
  /** 0–1. */
  readonly random: () => number;
}
