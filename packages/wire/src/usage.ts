/**
 * Token usage of one model response in one shape for both vendors. Every figure is in the vendor's own tokens;
 * `undefined` is "not told", which is not 0.
 */
export interface Usage {
  /** Fresh input: neither read from nor written to a cache. */
  readonly inputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  /** Written with a life of 5 minutes (Anthropic) or 30 minutes (OpenAI). */
  readonly cacheWriteShortTokens: number | undefined;
  /** Written with a life of 1 hour (Anthropic) or 12 hours (OpenAI). */
  readonly cacheWriteLongTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /**
   * What sets the price beside the tokens, in the vendor's words, each once: a region (`us`), a speed (`fast`), a tier
   * (`priority`); empty where nothing is told.
   */
  readonly terms: readonly string[];
  /** The vendor's own object as last seen. */
  readonly raw: unknown;
}
