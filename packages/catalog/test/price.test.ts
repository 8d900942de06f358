import { describe, expect, test } from 'vitest';
import { catalog, priceRequest } from '@quartermaster/catalog';
import type { RequestCost, TokenCounts } from '@quartermaster/catalog';

const nothing: TokenCounts = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteShortTokens: 0,
  cacheWriteLongTokens: 0,
  outputTokens: 0,
};

function price(id: string, tokens: Partial<TokenCounts>, terms: readonly string[] = []): RequestCost {
  const model = catalog.find(id);
  if (model === undefined) throw new Error(`${id} is not in the catalog`);
  return priceRequest(model, { ...nothing, ...tokens }, terms);
}

describe('pricing a request', () => {
  test('each class of token is priced on its own and summed', () => {
    const cost = price('claude-opus-5-5', {
      inputTokens: 1_000,
      cacheReadTokens: 20_000,
      cacheWriteShortTokens: 2_000,
      cacheWriteLongTokens: 3_000,
      outputTokens: 500,
    });
    expect(cost.inputUsd).toBeCloseTo(0.004, 12);
    expect(cost.cacheReadUsd).toBeCloseTo(0.004, 12);
    expect(cost.cacheWriteShortUsd).toBeCloseTo(0.01, 12);
    expect(cost.cacheWriteLongUsd).toBeCloseTo(0.024, 12);
    expect(cost.outputUsd).toBeCloseTo(0.01, 12);
    expect(cost.totalUsd).toBeCloseTo(0.052, 12);
  });

  test.each([
    ['claude-opus-5-5', ['standard', 'global', 'standard'], 24],
    ['claude-opus-5-5', ['us', 'standard', 'standard'], 26.4],
    ['claude-opus-5-5', ['global', 'fast', 'standard'], 48],
    ['claude-opus-5-5', ['us', 'fast'], 52.8],
    ['claude-opus-5-5', ['batch'], 12],
    ['claude-opus-5', ['fast'], 30],
    ['gpt-6.2-sol', ['default'], 12],
    ['gpt-6.2-sol', ['flex'], 6],
    ['gpt-6.2-sol', ['priority'], 24],
    ['gpt-6.2-sol', ['constructor', '__proto__'], 12],
  ])('a million tokens in and as many out on %s at %j cost %d USD', (id, terms, usd) => {
    // A fifth of it, which is below the bounds of all tiers.
    const cost = price(id, { inputTokens: 200_000, outputTokens: 200_000 }, terms);
    expect(cost.totalUsd * 5).toBeCloseTo(usd, 9);
  });

  test('a tier holds for the whole request once the total input is above its bound', () => {
    const at = price('claude-haiku-5-5', {
      inputTokens: 40_000,
      cacheReadTokens: 60_000,
      outputTokens: 1_000,
    });
    const above = price('claude-haiku-5-5', {
      inputTokens: 40_001,
      cacheReadTokens: 60_000,
      outputTokens: 1_000,
    });
    expect(at.totalUsd).toBeCloseTo(0.004 + 0.0006 + 0.0005, 12);
    expect(above.totalUsd).toBeCloseTo(0.0200005 + 0.003 + 0.0025, 12);
  });

  test('output does not count towards a tier', () => {
    expect(price('gpt-5.6-sol', { inputTokens: 272_000, outputTokens: 100_000 }).totalUsd).toBeCloseTo(
      1.088 + 2,
      9,
    );
    expect(price('gpt-5.6-sol', { inputTokens: 272_001 }).totalUsd).toBeCloseTo(2.176008, 9);
  });

  test('a cache write costs what input does on a model that charges none', () => {
    expect(price('gpt-5.4', { cacheWriteShortTokens: 1_000_000 }).totalUsd).toBe(2.5);
    expect(price('gpt-5.4', { cacheWriteLongTokens: 1_000_000 }).totalUsd).toBe(2.5);
  });
});
