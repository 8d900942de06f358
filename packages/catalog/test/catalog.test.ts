import { describe, expect, test } from 'vitest';
import { catalog, createCatalog } from '@quartermaster/catalog';
import type { Model } from '@quartermaster/catalog';

function requireModel(id: string): Model {
  const model = catalog.find(id);
  if (model === undefined) throw new Error(`${id} is not in the catalog`);
  return model;
}

describe('finding a model', () => {
  test.each([
    ['an undated id', 'claude-opus-5-5', 'claude-opus-5-5'],
    ["Claude Code's long-window spelling", 'claude-opus-5-5[1m]', 'claude-opus-5-5'],
    ['a dated snapshot of an undated id', 'claude-opus-5-5-20261020', 'claude-opus-5-5'],
    ['a dated id', 'claude-opus-4-5-20251101', 'claude-opus-4-5-20251101'],
    ['the undated form of a dated id', 'claude-opus-4-5', 'claude-opus-4-5-20251101'],
    ['a dated id as Vertex spells it', 'claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
    ['a dated OpenAI id', 'gpt-5.4-2026-03-05', 'gpt-5.4'],
  ])('%s is known', (_, asked, id) => {
    expect(catalog.find(asked)?.id).toBe(id);
  });

  test.each(['', 'claude-opus-9', 'claude-opus-5-5-latest', 'claude-opus', 'gpt-5.4-ultra', 'constructor'])(
    'the id "%s" is unknown',
    (id) => {
      expect(catalog.find(id)).toBeUndefined();
    },
  );

  test('of two snapshots the one that is asked for answers', () => {
    const [model] = catalog.models;
    if (model === undefined) throw new Error('the catalog is empty');
    const snapshots = ['claude-x-20260101', 'claude-x-20260601'].map((id) => ({ ...model, id }));
    const { find } = createCatalog(snapshots);
    expect(snapshots.map(({ id }) => find(id)?.id)).toEqual(['claude-x-20260101', 'claude-x-20260601']);
  });

  test('an id is never answered by a shorter one', () => {
    expect(catalog.find('claude-opus-4-20250514')?.prices.input).toBe(15);
    expect(catalog.find('claude-opus-4-8')?.prices.input).toBe(5);
    expect(catalog.find('gpt-5')?.id).toBe('gpt-5');
  });
});

describe('the table', () => {
  test('no id stands twice, dated or not, and every row names its source and date', () => {
    for (const model of catalog.models) {
      expect(catalog.find(model.id)).toBe(model);
      expect(model.source).not.toBe('');
      expect(model.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  test('a Claude write costs 1.25 times the input for 5 minutes and twice for 1 hour', () => {
    for (const { provider, prices } of catalog.models) {
      if (provider !== 'anthropic') continue;
      expect(prices.cacheWriteShort).toBeCloseTo(prices.input * 1.25, 12);
      expect(prices.cacheWriteLong).toBeCloseTo(prices.input * 2, 12);
    }
  });

  test('cache reads cost 0.025, 0.05 or 0.1 of the input, by generation', () => {
    const share = (id: string): number => requireModel(id).prices.cacheRead / requireModel(id).prices.input;
    expect(share('claude-fable-5-2')).toBeCloseTo(0.025, 12);
    expect(share('claude-mythos-5-1')).toBeCloseTo(0.025, 12);
    expect(share('claude-opus-5-5')).toBeCloseTo(0.05, 12);
    expect(share('claude-sonnet-5-5')).toBeCloseTo(0.05, 12);
    expect(share('claude-haiku-5-5')).toBeCloseTo(0.1, 12);
    expect(share('claude-opus-4-8')).toBeCloseTo(0.1, 12);
  });

  test('thinking is bound on Fable and Mythos 5.1 and later, Opus 5.5 and Sonnet 5.5, and nowhere else', () => {
    const bound = catalog.models.filter((model) => model.capabilities.boundThinking).map((model) => model.id);
    expect(bound.toSorted()).toEqual([
      'claude-fable-5-1',
      'claude-fable-5-2',
      'claude-mythos-5-1',
      'claude-mythos-5-2',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ]);
  });

  test('system messages are taken from Opus 4.8 on, but not by Sonnet 5', () => {
    const taking = (id: string): boolean => requireModel(id).capabilities.systemMessages;
    expect(['claude-opus-4-8', 'claude-opus-5', 'claude-haiku-5-5', 'claude-mythos-5'].every(taking)).toBe(
      true,
    );
    expect(['claude-sonnet-5', 'claude-opus-4-7', 'claude-haiku-4-5'].some(taking)).toBe(false);
  });

  test('tool search begins with the 4.5 generation and gpt-5.4, nano apart', () => {
    const searching = (id: string): boolean => requireModel(id).capabilities.toolSearch;
    expect(['claude-haiku-4-5', 'claude-opus-4-5', 'gpt-5.4', 'gpt-6.2-sol'].every(searching)).toBe(true);
    expect(['claude-opus-4-1', 'claude-sonnet-4', 'gpt-5.2', 'gpt-5.4-nano'].some(searching)).toBe(false);
  });

  test.each([
    ['claude-opus-5-5', 512],
    ['claude-sonnet-5', 1_024],
    ['claude-opus-4-8', 1_024],
    ['claude-sonnet-4-6', 2_048],
    ['claude-opus-4-7', 2_048],
    ['claude-haiku-4-5', 4_096],
  ])('%s caches nothing below %d tokens', (id, tokens) => {
    expect(requireModel(id).capabilities.minCacheTokens).toBe(tokens);
  });

  test('LE2: Claude bills 1.69 tokens for one of o200k, OpenAI one', () => {
    expect(requireModel('claude-sonnet-5').billedPerO200k).toBe(1.69);
    expect(requireModel('gpt-5.6-sol').billedPerO200k).toBe(1);
  });
});
