/** USD per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** 5 minutes (Anthropic), 30 minutes (OpenAI). */
  readonly cacheWriteShort: number;
  /** 1 hour (Anthropic), 12 hours (OpenAI); `undefined` where the model has none. */
  readonly cacheWriteLong: number | undefined;
}

/** Prices of requests with more than `aboveInputTokens` of total input; `prices` then holds for the whole request. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly prices: TokenPrices;
}

/** What a model accepts and how much of it, in its own billed tokens. */
export interface ModelCapabilities {
  /** Server-side tool search and `defer_loading`. */
  readonly toolSearch: boolean;
  /** `role: "system"` in `messages`. */
  readonly systemMessages: boolean;
  /** Thinking blocks are bound to the rendered prefix before them. */
  readonly boundThinking: boolean;
  /** `tool_choice` of type `tool` or `any`. */
  readonly forcedToolChoice: boolean;
  /** The words of effort that it takes, the least first; empty where it takes none. */
  readonly efforts: readonly string[];
  readonly minCacheTokens: number;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** One model: what it costs, what it can do, and where that is known from. */
export interface Model {
  readonly id: string;
  readonly provider: 'anthropic' | 'openai';
  readonly prices: TokenPrices;
  /** Ascending by `aboveInputTokens`; empty for most models. */
  readonly tiers: readonly PriceTier[];
  /** What a request costs times as much, by a word of its terms: `us`, `fast`, `flex`; 1 for every other word. */
  readonly factors: Readonly<Record<string, number>>;
  readonly capabilities: ModelCapabilities;
  /** Billed tokens per o200k token. */
  readonly billedPerO200k: number;
  /** Where the figures come from, and when they were taken (ISO date). */
  readonly source: string;
  readonly date: string;
}

/** Looks models up by the id that a request names (dated and undated spellings, aliases). */
export interface Catalog {
  readonly models: readonly Model[];
  find(id: string): Model | undefined;
}
