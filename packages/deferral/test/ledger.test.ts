import { describe, expect, test } from 'vitest';
import { recastPrompt, sumPrompt, tokensPerSearch } from '@quartermaster/deferral';
import type { CacheLife, PromptPart, PromptTokens } from '@quartermaster/deferral';

interface PartOptions extends Partial<Pick<PromptPart, 'arm' | 'isCounted'>> {
  readonly mark?: CacheLife;
}

/** A part that carries its mark in every prompt that shows it. */
function part(tokens: number, { arm = 'both', isCounted = true, mark }: PartOptions = {}): PromptPart {
  return {
    arm,
    tokens,
    isCounted,
    marks: {
      deferred: arm === 'undeferred' ? undefined : mark,
      undeferred: arm === 'deferred' ? undefined : mark,
    },
  };
}

const nothing: PromptTokens = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteShortTokens: 0,
  cacheWriteLongTokens: 0,
};

/** Loaded tools, 5,000 deferred tokens, the search entry, a marked system prompt, the names list, a marked question. */
function typical(life: CacheLife): readonly PromptPart[] {
  return [
    part(1_000),
    part(5_000, { arm: 'undeferred' }),
    part(20, { arm: 'deferred' }),
    part(2_000, { mark: life }),
    part(300, { mark: 'short' }),
    part(180, { arm: 'deferred' }),
  ];
}

const from = 'deferred' as const;
const minCacheTokens = 512;

describe('LE1: deferred tokens count at the tier at which their place was billed', () => {
  test.each([
    ['read', { cacheReadTokens: 3_020, cacheWriteShortTokens: 300, inputTokens: 180 }, 'cacheReadTokens', 3],
    ['written for 5 min', { cacheWriteShortTokens: 3_320, inputTokens: 180 }, 'cacheWriteShortTokens', -1],
    ['fresh', { inputTokens: 3_500 }, 'inputTokens', -1],
  ] as const)('%s', (_name, billed, tier, hit) => {
    const parts = tier === 'inputTokens' ? typical('short').map(withoutMarks) : typical('short');
    const hits = { deferred: hit, undeferred: hit };
    const bill = { ...nothing, ...billed };
    const { tokens } = recastPrompt({ parts, from, billed: bill, hits, minCacheTokens });
    const taken = tier === 'inputTokens' ? 5_000 - 20 - 180 : 5_000 - 20;
    expect(tokens[tier]).toBeCloseTo(bill[tier] + taken);
    expect(sumPrompt(tokens)).toBeCloseTo(sumPrompt(bill) + 5_000 - 20 - 180);
  });

  test('written for 1 h, and the conversation after it for 5 min', () => {
    const billed = {
      ...nothing,
      cacheWriteLongTokens: 3_020,
      cacheWriteShortTokens: 300,
      inputTokens: 180,
    };
    const hits = { deferred: -1, undeferred: -1 };
    const { tokens } = recastPrompt({ parts: typical('long'), from, billed, hits, minCacheTokens });
    expect(tokens.cacheWriteLongTokens).toBeCloseTo(8_000);
    expect(tokens.cacheWriteShortTokens).toBeCloseTo(300);
    expect(tokens.inputTokens).toBeCloseTo(0);
  });

  test('where the hits are not known, both end at the same place', () => {
    const billed = { ...nothing, cacheReadTokens: 3_020, cacheWriteShortTokens: 300, inputTokens: 180 };
    const { tokens } = recastPrompt({
      parts: typical('short'),
      from,
      billed,
      hits: undefined,
      minCacheTokens,
    });
    expect(tokens.cacheReadTokens).toBeCloseTo(8_000);
  });
});

describe('LE1: what deferral adds is taken off at the tier of its own place', () => {
  test('a names list behind the last mark is fresh, one before it is written', () => {
    const billed = { ...nothing, cacheWriteShortTokens: 3_320, inputTokens: 180 };
    const hits = { deferred: -1, undeferred: -1 };
    const first = recastPrompt({ parts: typical('short'), from, billed, hits, minCacheTokens });
    expect(first.tokens.inputTokens).toBeCloseTo(0);
    const later = [...typical('short'), part(400, { mark: 'short' })];
    const second = recastPrompt({
      parts: later,
      from,
      billed: { ...nothing, cacheReadTokens: 3_320, cacheWriteShortTokens: 580 },
      hits: { deferred: 4, undeferred: 4 },
      minCacheTokens,
    });
    expect(second.tokens.cacheWriteShortTokens).toBeCloseTo(400);
  });

  test('a loaded tool stands in both prompts, and from the request after its write on it no longer counts', () => {
    const loaded = part(700, { arm: 'undeferred' });
    const inConversation = part(700, { arm: 'deferred' });
    const parts = [
      part(1_000),
      loaded,
      part(2_000, { mark: 'short' }),
      inConversation,
      part(300, { mark: 'short' }),
    ];
    const written = recastPrompt({
      parts,
      from,
      billed: { ...nothing, cacheReadTokens: 3_000, cacheWriteShortTokens: 1_000 },
      hits: { deferred: 2, undeferred: 2 },
      minCacheTokens,
    });
    expect(written.tokens).toMatchObject({ cacheReadTokens: 3_700, cacheWriteShortTokens: 300 });
    const read = recastPrompt({
      parts: [...parts, part(50)],
      from,
      billed: { ...nothing, cacheReadTokens: 4_000, inputTokens: 50 },
      hits: { deferred: 4, undeferred: 4 },
      minCacheTokens,
    });
    expect(read.tokens).toMatchObject({ cacheReadTokens: 4_000, inputTokens: 50 });
  });
});

describe('LE1: the two prompts may meet the cache differently', () => {
  test('a deferred prefix below the minimum is not cached, the longer one would have been', () => {
    const parts = [part(1_000), part(5_000, { arm: 'undeferred' }), part(500, { mark: 'short' }), part(100)];
    const { tokens, writes } = recastPrompt({
      parts,
      from,
      billed: { ...nothing, inputTokens: 1_600 },
      hits: { deferred: -1, undeferred: -1 },
      minCacheTokens: 4_096,
    });
    expect(tokens).toMatchObject({ cacheWriteShortTokens: 6_500, inputTokens: 100 });
    expect(writes).toEqual({ deferred: [], undeferred: [{ part: 2, life: 'short', tokens: 6_500 }] });
  });

  test('a prefix that only the other prompt could have read makes the saving negative', () => {
    const billed = { ...nothing, cacheWriteShortTokens: 3_320, inputTokens: 180 };
    const hits = { deferred: -1, undeferred: 3 };
    const { tokens } = recastPrompt({ parts: typical('short'), from, billed, hits, minCacheTokens });
    expect(tokens).toMatchObject({ cacheReadTokens: 8_000, cacheWriteShortTokens: 300 });
  });

  test('RW5: a mark that moved off a deferred tool ends the hit behind that tool in the other prompt', () => {
    const moved: PromptPart = { ...part(1_000), marks: { deferred: 'short', undeferred: undefined } };
    const origin: PromptPart = {
      ...part(5_000, { arm: 'undeferred' }),
      marks: { deferred: undefined, undeferred: 'short' },
    };
    const { tokens } = recastPrompt({
      parts: [moved, origin, part(200)],
      from,
      billed: { ...nothing, cacheReadTokens: 1_000, inputTokens: 200 },
      hits: undefined,
      minCacheTokens,
    });
    expect(tokens).toMatchObject({ cacheReadTokens: 6_000, inputTokens: 200 });
  });
});

test('a projection is the same arithmetic the other way round', () => {
  const parts = typical('short');
  const hits = { deferred: 3, undeferred: 3 };
  const billed = { ...nothing, cacheReadTokens: 3_020, cacheWriteShortTokens: 300, inputTokens: 180 };
  const there = recastPrompt({ parts, from, billed, hits, minCacheTokens });
  const back = recastPrompt({ parts, from: 'undeferred', billed: there.tokens, hits, minCacheTokens });
  for (const [tier, tokens] of Object.entries(billed)) {
    expect(back.tokens[tier as keyof PromptTokens]).toBeCloseTo(tokens);
  }
});

test('LE2: guesses by length give way to the bill before counted parts do', () => {
  const parts = [
    part(1_000),
    part(4_000, { isCounted: false }),
    part(100, { arm: 'deferred' }),
    part(0, { mark: 'short' }),
    part(10),
  ];
  const { tokens } = recastPrompt({
    parts,
    from,
    billed: { ...nothing, cacheWriteShortTokens: 3_100, inputTokens: 10 },
    hits: { deferred: -1, undeferred: -1 },
    minCacheTokens,
  });
  expect(tokens.cacheWriteShortTokens).toBeCloseTo(3_000);
});

test('LE2: a search that was not measured counts 30 tokens', () => expect(tokensPerSearch).toBe(30));

function withoutMarks(marked: PromptPart): PromptPart {
  return { ...marked, marks: { deferred: undefined, undeferred: undefined } };
}
