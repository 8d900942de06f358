import type { Model, ModelCapabilities, TokenPrices } from './model.ts';

type Row = Pick<Model, 'id' | 'prices' | 'capabilities'> &
  Partial<Pick<Model, 'tiers' | 'factors' | 'source'>>;

/** Caching and price page of the vendor as the price tiers inside Claude Code 2.1.332 state them. */
const source = 'Claude Code 2.1.332 price tiers; Anthropic docs: prompt caching, tool search, models';
const date = '2026-11-30';

/**
 * One o200k token is billed as 1.69 of Claude's (LE2); measured on tool declarations and agent prompts.
 */
const billedPerO200k = 1.69;

/** Of 4.6, which has no `xhigh`; Opus 4.5 was the first to take an effort (the vendor's pages on effort). */
const efforts46 = ['low', 'medium', 'high', 'max'];
const efforts45 = ['low', 'medium', 'high'];

/** Bound thinking and no forced `tool_choice`: the newest generation. Its minimum is documented but for 5.2 (assumed). */
const newest: ModelCapabilities = {
  toolSearch: true,
  systemMessages: true,
  boundThinking: true,
  forcedToolChoice: false,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  minCacheTokens: 512,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
};
const generation5: ModelCapabilities = { ...newest, boundThinking: false, forcedToolChoice: true };
const beforeSystemMessages: ModelCapabilities = { ...generation5, systemMessages: false };
const window200k: ModelCapabilities = { ...beforeSystemMessages, contextTokens: 200_000, efforts: [] };
const beforeToolSearch: ModelCapabilities = {
  ...window200k,
  toolSearch: false,
  minCacheTokens: 1_024,
  maxOutputTokens: 32_000,
};

/** USD per million; writes cost 1.25 (5 minutes) and 2 (1 hour) times the input on every Claude model. */
function prices(input: number, output: number, cacheRead: number): TokenPrices {
  return { input, output, cacheRead, cacheWriteShort: input * 1.25, cacheWriteLong: input * 2 };
}

/** Inference in the US alone, and batches. */
const factors = { us: 1.1, batch: 0.5 };

const fable52 = prices(8, 40, 0.2);
const fable51 = prices(10, 50, 0.25);
const fable5 = prices(10, 50, 1);
const opus5 = prices(5, 25, 0.5);
const sonnet4 = prices(3, 15, 0.3);
const opus4 = prices(15, 75, 1.5);

const rows: readonly Row[] = [
  // Forced tool_choice is documented as refused for 5.1; 5.2 is taken to have kept that.
  { id: 'claude-fable-5-2', prices: fable52, capabilities: newest },
  { id: 'claude-mythos-5-2', prices: fable52, capabilities: newest },
  { id: 'claude-fable-5-1', prices: fable51, capabilities: newest },
  { id: 'claude-mythos-5-1', prices: fable51, capabilities: newest },
  { id: 'claude-fable-5', prices: fable5, capabilities: generation5 },
  { id: 'claude-mythos-5', prices: fable5, capabilities: generation5 },
  {
    id: 'claude-opus-5-5',
    prices: prices(4, 20, 0.2),
    factors: { ...factors, fast: 2 },
    capabilities: newest,
  },
  { id: 'claude-opus-5', prices: opus5, capabilities: generation5 },
  { id: 'claude-opus-4-8', prices: opus5, capabilities: { ...generation5, minCacheTokens: 1_024 } },
  { id: 'claude-opus-4-7', prices: opus5, capabilities: { ...beforeSystemMessages, minCacheTokens: 2_048 } },
  {
    id: 'claude-opus-4-6',
    prices: opus5,
    capabilities: { ...window200k, minCacheTokens: 4_096, efforts: efforts46 },
  },
  {
    id: 'claude-opus-4-5-20251101',
    prices: opus5,
    capabilities: {
      ...window200k,
      minCacheTokens: 4_096,
      maxOutputTokens: 64_000,
      efforts: efforts45,
    },
  },
  { id: 'claude-opus-4-1-20250805', prices: opus4, capabilities: beforeToolSearch },
  { id: 'claude-opus-4-20250514', prices: opus4, capabilities: beforeToolSearch },
  // The read price fell from 0.20 on 2026-10-07.
  { id: 'claude-sonnet-5-5', prices: prices(2, 10, 0.1), capabilities: newest },
  {
    id: 'claude-sonnet-5',
    prices: prices(2, 10, 0.2),
    capabilities: { ...beforeSystemMessages, minCacheTokens: 1_024 },
  },
  {
    id: 'claude-sonnet-4-6',
    prices: sonnet4,
    // Documented as 1,024; observed as 2,048 (anthropic-sdk-python#1194), which is the safer plan.
    capabilities: { ...window200k, minCacheTokens: 2_048, efforts: efforts46 },
  },
  {
    id: 'claude-sonnet-4-5-20250929',
    prices: sonnet4,
    capabilities: { ...window200k, minCacheTokens: 1_024, maxOutputTokens: 64_000 },
  },
  {
    id: 'claude-sonnet-4-20250514',
    prices: sonnet4,
    capabilities: { ...beforeToolSearch, maxOutputTokens: 64_000 },
  },
  {
    id: 'claude-haiku-5-5',
    prices: prices(0.1, 0.5, 0.01),
    tiers: [{ aboveInputTokens: 100_000, prices: prices(0.5, 2.5, 0.05) }],
    // Not among the models that refuse a forced tool_choice, nor among those with bound thinking.
    capabilities: generation5,
  },
  {
    id: 'claude-haiku-4-5-20251001',
    prices: prices(1, 5, 0.1),
    // Tool search: disputed in older pages, measured as working.
    capabilities: { ...window200k, minCacheTokens: 4_096, maxOutputTokens: 64_000 },
  },
  {
    id: 'claude-3-5-haiku-20241022',
    prices: prices(0.8, 4, 0.08),
    capabilities: { ...beforeToolSearch, minCacheTokens: 2_048, maxOutputTokens: 8_192 },
  },
];

/** Claude models, newest generation first within a family. */
export const claudeModels: readonly Model[] = rows.map((row) => ({
  provider: 'anthropic',
  tiers: [],
  factors,
  billedPerO200k,
  source,
  date,
  ...row,
}));
