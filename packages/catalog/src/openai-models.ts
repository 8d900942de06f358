import type { Model, ModelCapabilities, PriceTier, TokenPrices } from './model.ts';

interface Row {
  readonly id: string;
  readonly prices: TokenPrices;
  readonly capabilities: ModelCapabilities;
  readonly tiers?: readonly PriceTier[];
  readonly source: string;
}

const date = '2026-11-30';
const vendor = 'OpenAI pricing page';
const priceList = '@pydantic/genai-prices 0.1.8 (2026-09-23)';
const inferred = 'OpenAI pricing page (input, output); cache prices inferred from gpt-6.2-sol';

/**
 * What the API says to an effort that a model does not take, by model: openai-agents-python#2089 (5.1), pydantic-ai#7081
 * (5.6), models.dev#2351 (the others), pr-agent#3271 (Astra, which always thinks). 6.x is taken to be like 5.6.
 */
const efforts = {
  astra: ['low', 'medium', 'high', 'xhigh', 'max'],
  '5.6': ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  '5.2': ['none', 'low', 'medium', 'high', 'xhigh'],
  pro: ['medium', 'high', 'xhigh'],
  '5.1': ['none', 'low', 'medium', 'high'],
  '5': ['minimal', 'low', 'medium', 'high'],
} as const;

/** Windows of gpt-5.4 and later are those of gpt-5.4; no figure for the later ones was found. */
const current: ModelCapabilities = {
  toolSearch: true,
  systemMessages: true,
  boundThinking: false,
  forcedToolChoice: true,
  efforts: efforts['5.2'],
  minCacheTokens: 1_024,
  contextTokens: 1_050_000,
  maxOutputTokens: 128_000,
};
const gpt56: ModelCapabilities = { ...current, efforts: efforts['5.6'] };
const astra: ModelCapabilities = { ...current, efforts: efforts.astra };
const small: ModelCapabilities = { ...current, contextTokens: 400_000 };
const beforeToolSearch: ModelCapabilities = { ...small, toolSearch: false };
const gpt5: ModelCapabilities = { ...beforeToolSearch, efforts: efforts['5'] };
const beforeReasoning: ModelCapabilities = { ...beforeToolSearch, efforts: [] };

/** A model that charges for cache writes: 1.25 times the input for 30 minutes; `cacheWriteLong` where 12 hours exist. */
function written(input: number, output: number, cacheRead: number, cacheWriteLong?: number): TokenPrices {
  return { input, output, cacheRead, cacheWriteShort: input * 1.25, cacheWriteLong };
}

/** A model that writes its cache for nothing: a written token costs what a fresh one does. */
function unwritten(input: number, output: number, cacheRead: number): TokenPrices {
  return { input, output, cacheRead, cacheWriteShort: input, cacheWriteLong: undefined };
}

/** gpt-5.6 and later: above 272 K input tokens, input and cache cost double and output 1.5 times. */
function longContext(prices: TokenPrices): readonly PriceTier[] {
  const { input, output, cacheRead, cacheWriteShort, cacheWriteLong } = prices;
  const doubled = {
    input: input * 2,
    output: output * 1.5,
    cacheRead: cacheRead * 2,
    cacheWriteShort: cacheWriteShort * 2,
    cacheWriteLong: cacheWriteLong === undefined ? undefined : cacheWriteLong * 2,
  };
  return [{ aboveInputTokens: 272_000, prices: doubled }];
}

/** By tier of service; an answer that was asked for as `fast` says `priority`. */
const factors = { batch: 0.5, flex: 0.5, priority: 2 };

function tiered(id: string, prices: TokenPrices, from: string): Row {
  return { id, prices, capabilities: gpt56, tiers: longContext(prices), source: from };
}

const rows: readonly Row[] = [
  tiered('gpt-6.2-sol', written(2, 10, 0.1, 5), vendor),
  { ...tiered('gpt-6.2-astra', written(8, 40, 0.4, 20), inferred), capabilities: astra },
  tiered('gpt-6.1-sol', written(2, 10, 0.1, 5), vendor),
  tiered('gpt-6.1-terra', written(1, 5, 0.05, 2.5), vendor),
  { ...tiered('gpt-6-astra', written(10, 50, 1), priceList), capabilities: astra },
  tiered('gpt-6-sol', written(2, 10, 0.2), priceList),
  tiered('gpt-6-luna', written(0.1, 0.5, 0.01), priceList),
  tiered('gpt-5.6-sol', written(4, 20, 0.4), priceList),
  tiered('gpt-5.6-terra', written(2, 12, 0.2), priceList),
  tiered('gpt-5.6-luna', written(0.2, 1.2, 0.02), priceList),
  { id: 'gpt-5.5', prices: unwritten(5, 30, 0.5), capabilities: current, source: priceList },
  // No cached price is listed: a cached token costs what a fresh one does.
  {
    id: 'gpt-5.5-pro',
    prices: unwritten(30, 180, 30),
    capabilities: { ...current, efforts: efforts.pro },
    source: priceList,
  },
  { id: 'gpt-5.4', prices: unwritten(2.5, 15, 0.25), capabilities: current, source: priceList },
  { id: 'gpt-5.4-mini', prices: unwritten(0.75, 4.5, 0.075), capabilities: small, source: priceList },
  // Nano variants have no tool search.
  {
    id: 'gpt-5.4-nano',
    prices: unwritten(0.2, 1.25, 0.02),
    capabilities: beforeToolSearch,
    source: priceList,
  },
  { id: 'gpt-5.2', prices: unwritten(1.75, 14, 0.175), capabilities: beforeToolSearch, source: priceList },
  {
    id: 'gpt-5.1',
    prices: unwritten(1.25, 10, 0.125),
    capabilities: { ...beforeToolSearch, efforts: efforts['5.1'] },
    source: priceList,
  },
  { id: 'gpt-5', prices: unwritten(1.25, 10, 0.125), capabilities: gpt5, source: priceList },
  { id: 'gpt-5-mini', prices: unwritten(0.25, 2, 0.025), capabilities: gpt5, source: priceList },
  {
    id: 'gpt-4.1',
    prices: unwritten(2, 8, 0.5),
    capabilities: { ...beforeReasoning, contextTokens: 1_047_576, maxOutputTokens: 32_768 },
    source: priceList,
  },
  {
    id: 'gpt-4o-mini',
    prices: unwritten(0.15, 0.6, 0.075),
    capabilities: { ...beforeReasoning, contextTokens: 128_000, maxOutputTokens: 16_384 },
    source: priceList,
  },
];

/** OpenAI models, newest first. They count in o200k themselves. */
export const openaiModels: readonly Model[] = rows.map((row) => ({
  provider: 'openai',
  tiers: [],
  factors,
  billedPerO200k: 1,
  date,
  ...row,
}));
