import { describe, expect, test } from 'vitest';
import { catalog, CatalogError, parseCatalogOverrides } from '@quartermaster/catalog';

const prices = { input: 1, output: 2, cacheRead: 0.1, cacheWriteShort: 1.25 };
const capabilities = {
  toolSearch: true,
  systemMessages: false,
  boundThinking: false,
  forcedToolChoice: true,
  efforts: ['low', 'high'],
  minCacheTokens: 1_024,
  contextTokens: 200_000,
  maxOutputTokens: 8_000,
};

describe('an override file', () => {
  test('changes what it names of a known model and leaves the rest', () => {
    const models = {
      'claude-opus-4-5': { prices: { cacheRead: 0.4 }, capabilities: { minCacheTokens: 2_048 } },
    };
    const changed = parseCatalogOverrides({ models }, catalog).find('claude-opus-4-5-20251101');
    const before = catalog.find('claude-opus-4-5');
    expect(changed?.prices).toEqual({ ...before?.prices, cacheRead: 0.4 });
    expect(changed?.capabilities).toEqual({ ...before?.capabilities, minCacheTokens: 2_048 });
    expect(changed?.source).toBe('override file');
    expect(parseCatalogOverrides({ models }, catalog).models.length).toBe(catalog.models.length);
  });

  test('adds a model that the table lacks', () => {
    const row = { provider: 'anthropic', prices, capabilities, billedPerO200k: 1.5, date: '2026-12-01' };
    const added = parseCatalogOverrides({ models: { 'house-model': row } }, catalog).find('house-model');
    expect(added).toEqual({
      id: 'house-model',
      ...row,
      prices: { ...prices, cacheWriteLong: undefined },
      tiers: [],
      factors: {},
      source: 'override file',
    });
  });

  test('states the words that change a price', () => {
    const models = { 'gpt-5': { factors: { flex: 0.4 } } };
    expect(parseCatalogOverrides({ models }, catalog).find('gpt-5')?.factors).toEqual({
      batch: 0.5,
      flex: 0.4,
      priority: 2,
    });
    expect(() => parseCatalogOverrides({ models: { 'gpt-5': { factors: { flex: 0 } } } }, catalog)).toThrow(
      'models.gpt-5.factors.flex must be a number above 0',
    );
  });

  test('states the efforts that a model takes', () => {
    const models = (efforts: unknown) => ({ models: { 'gpt-5': { capabilities: { efforts } } } });
    const changed = parseCatalogOverrides(models(['low']), catalog).find('gpt-5');
    expect(changed?.capabilities.efforts).toEqual(['low']);
    expect(() => parseCatalogOverrides(models(['low', 5]), catalog)).toThrow(
      'models.gpt-5.capabilities.efforts must be an array of strings',
    );
  });

  test('sorts the tiers that it states', () => {
    const tiers = [
      { aboveInputTokens: 200, prices },
      { aboveInputTokens: 100, prices },
    ];
    const changed = parseCatalogOverrides({ models: { 'gpt-5': { tiers } } }, catalog).find('gpt-5');
    expect(changed?.tiers.map((tier) => tier.aboveInputTokens)).toEqual([100, 200]);
  });

  test('the base stays as it was', () => {
    parseCatalogOverrides({ models: { 'gpt-5': { prices: { input: 99 } } } }, catalog);
    expect(catalog.find('gpt-5')?.prices.input).toBe(1.25);
  });

  test.each([
    ['no object', [], 'CATALOG_BAD_VALUE', 'the file'],
    ['a key beside models', { model: {} }, 'CATALOG_UNKNOWN_KEY', 'model'],
    ['an unknown key', { models: { 'gpt-5': { price: {} } } }, 'CATALOG_UNKNOWN_KEY', 'models.gpt-5.price'],
    [
      'an unknown price',
      { models: { 'gpt-5': { prices: { read: 1 } } } },
      'CATALOG_UNKNOWN_KEY',
      'models.gpt-5.prices.read',
    ],
    [
      'a price that is no number',
      { models: { 'gpt-5': { prices: { input: '1' } } } },
      'CATALOG_BAD_VALUE',
      'models.gpt-5.prices.input',
    ],
    [
      'a negative price',
      { models: { 'gpt-5': { prices: { input: -1 } } } },
      'CATALOG_BAD_VALUE',
      'models.gpt-5.prices.input',
    ],
    [
      'half a token',
      { models: { 'gpt-5': { capabilities: { minCacheTokens: 0.5 } } } },
      'CATALOG_BAD_VALUE',
      'models.gpt-5.capabilities.minCacheTokens',
    ],
    [
      'a tier without its bound',
      { models: { 'gpt-5': { tiers: [{ prices }] } } },
      'CATALOG_MISSING_KEY',
      'models.gpt-5.tiers.0.aboveInputTokens',
    ],
    [
      'a new model without capabilities',
      { models: { new: { provider: 'openai', prices } } },
      'CATALOG_MISSING_KEY',
      'models.new.capabilities.toolSearch',
    ],
    [
      'a ratio of 0',
      { models: { 'gpt-5': { billedPerO200k: 0 } } },
      'CATALOG_BAD_VALUE',
      'models.gpt-5.billedPerO200k',
    ],
  ])('%s is refused with its path', (_, json, code, path) => {
    const error = catchError(() => parseCatalogOverrides(json, catalog));
    expect(error).toBeInstanceOf(CatalogError);
    expect(error).toMatchObject({ code, path, message: expect.stringContaining(path) });
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
