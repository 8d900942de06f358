import { mergeAnthropicUsage, readAnthropicUsage, readOpenAiUsage } from '@quartermaster/wire';
import type { Usage } from '@quartermaster/wire';
import { describe, expect, test } from 'vitest';

describe('Anthropic', () => {
  test('tells fresh input beside what the cache read and wrote', () => {
    const raw = {
      input_tokens: 57,
      output_tokens: 812,
      cache_read_input_tokens: 18_200,
      cache_creation_input_tokens: 1_320,
      cache_creation: { ephemeral_5m_input_tokens: 320, ephemeral_1h_input_tokens: 1_000 },
    };
    expect(readAnthropicUsage(raw)).toEqual(usage([57, 18_200, 320, 1_000, 812], raw));
  });

  test('a sum of writes that is not split is all short', () => {
    expect(figures(readAnthropicUsage({ cache_creation_input_tokens: 120 }))).toEqual([
      undefined,
      undefined,
      120,
      undefined,
      undefined,
    ]);
    expect(figures(readAnthropicUsage({ cache_creation_input_tokens: 120, cache_creation: null }))[2]).toBe(
      120,
    );
  });

  test('a split without its sum is taken, one with a part missing is filled', () => {
    const writes = (raw: object): unknown => figures(readAnthropicUsage(raw)).slice(2, 4);
    expect(
      writes({ cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 } }),
    ).toEqual([1, 2]);
    const sum = { cache_creation_input_tokens: 120 };
    expect(writes({ ...sum, cache_creation: { ephemeral_1h_input_tokens: 100 } })).toEqual([20, 100]);
    expect(writes({ ...sum, cache_creation: { ephemeral_5m_input_tokens: 100 } })).toEqual([100, 20]);
  });

  test('LE5: what is not told is not 0', () => {
    const told = {
      input_tokens: null,
      output_tokens: 'x',
      cache_read_input_tokens: Number.NaN,
      cache_creation_input_tokens: -1,
    };
    for (const raw of [{}, told]) {
      expect(readAnthropicUsage(raw)).toEqual(
        usage([undefined, undefined, undefined, undefined, undefined], raw),
      );
    }
    for (const raw of [undefined, null, 5, 'x', []]) expect(readAnthropicUsage(raw)).toBeUndefined();
    expect(figures(readAnthropicUsage({ input_tokens: 0 }))[0]).toBe(0);
  });
});

describe('what sets a price beside the tokens', () => {
  test('Anthropic tells it with the usage, in the first event of a stream alone', () => {
    const start = { input_tokens: 1, inference_geo: 'us', speed: 'fast', service_tier: 'standard' };
    expect(readAnthropicUsage(start)?.terms).toEqual(['us', 'fast', 'standard']);
    expect(mergeAll([start, { output_tokens: 9 }])?.terms).toEqual(['us', 'fast', 'standard']);
    expect(mergeAll([start, start])?.terms).toEqual(['us', 'fast', 'standard']);
    expect(readAnthropicUsage({ inference_geo: null, speed: 5 })?.terms).toEqual([]);
  });

  test('OpenAI tells it beside the usage', () => {
    expect(readOpenAiUsage({ input_tokens: 1 }, 'priority')?.terms).toEqual(['priority']);
    expect(readOpenAiUsage({ input_tokens: 1 }, null)?.terms).toEqual([]);
  });
});

describe('case 57: usage that is split over events', () => {
  const start = { input_tokens: 50, cache_read_input_tokens: 2_400, cache_creation_input_tokens: 120 };

  test.each([
    ['told at the start', [start, { output_tokens: 9 }], [50, 2_400, 120, undefined, 9]],
    ['told at the end', [{}, { ...start, output_tokens: 9 }], [50, 2_400, 120, undefined, 9]],
    [
      'told twice',
      [
        { ...start, output_tokens: 1 },
        { ...start, output_tokens: 9 },
      ],
      [50, 2_400, 120, undefined, 9],
    ],
    [
      'grown by a server loop',
      [
        start,
        {
          input_tokens: 1_570,
          cache_read_input_tokens: 2_500,
          cache_creation_input_tokens: 130,
          output_tokens: 9,
        },
      ],
      [1_570, 2_500, 130, undefined, 9],
    ],
    [
      'several closing events',
      [start, { output_tokens: 4 }, { output_tokens: 9 }],
      [50, 2_400, 120, undefined, 9],
    ],
    ['null is not told', [start, { input_tokens: null, output_tokens: 9 }], [50, 2_400, 120, undefined, 9]],
    ['0 is told', [start, { input_tokens: 0, output_tokens: 9 }], [0, 2_400, 120, undefined, 9]],
  ])('%s', (_name, events, expected) => {
    expect(figures(mergeAll(events))).toEqual(expected);
  });

  test('a sum without its split does not count long writes again', () => {
    const split = { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 100 };
    const opening = { cache_creation_input_tokens: 120, cache_creation: split };
    const writes = (sum: number): unknown =>
      figures(mergeAll([opening, { cache_creation_input_tokens: sum }])).slice(2, 4);
    expect(writes(120)).toEqual([20, 100]);
    expect(writes(150)).toEqual([50, 100]);
    expect(writes(90)).toEqual([0, 90]);
    expect(figures(mergeAll([opening, { cache_creation_input_tokens: 150 }, {}])).slice(2, 4)).toEqual([
      50, 100,
    ]);
  });

  test('a later split replaces an earlier one', () => {
    const split = (short: number, long: number): object => ({
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    });
    expect(figures(mergeAll([split(1, 2), split(3, 4)])).slice(2, 4)).toEqual([3, 4]);
  });

  test('the raw object is the last one', () => {
    expect(mergeAll([start, { output_tokens: 9 }])?.raw).toEqual({ output_tokens: 9 });
  });
});

describe('OpenAI', () => {
  test('Responses: input loses what was read and written', () => {
    const raw = {
      input_tokens: 20_480,
      output_tokens: 300,
      total_tokens: 20_780,
      input_tokens_details: {
        cached_tokens: 18_432,
        cache_write_tokens: 1_024,
        cache_write_tokens_details: { ttl_30m_tokens: 24, ttl_12h_tokens: 1_000 },
      },
    };
    expect(readOpenAiUsage(raw)).toEqual(usage([1_024, 18_432, 24, 1_000, 300], raw));
  });

  test('Chat Completions: the same of its own names', () => {
    const raw = {
      prompt_tokens: 1_500,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 1_280, cache_write_tokens: 100 },
    };
    expect(readOpenAiUsage(raw)).toEqual(usage([120, 1_280, 100, undefined, 20], raw));
  });

  test('LE5: what is not told is not 0', () => {
    expect(figures(readOpenAiUsage({ input_tokens: 5 }))).toEqual([
      5,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(figures(readOpenAiUsage({ input_tokens_details: { cached_tokens: 5 } }))).toEqual([
      undefined,
      5,
      undefined,
      undefined,
      undefined,
    ]);
    for (const raw of [undefined, null, 5, 'x', []]) expect(readOpenAiUsage(raw)).toBeUndefined();
  });

  test('input never falls below 0', () => {
    expect(figures(readOpenAiUsage({ input_tokens: 5, input_tokens_details: { cached_tokens: 7 } }))[0]).toBe(
      0,
    );
  });
});

type Figures = readonly (number | undefined)[];

function mergeAll(events: readonly unknown[]): Usage | undefined {
  let merged: Usage | undefined;
  for (const raw of events) {
    const told = readAnthropicUsage(raw);
    if (told !== undefined) merged = mergeAnthropicUsage(merged, told);
  }
  return merged;
}

function figures(told: Usage | undefined): Figures {
  return [
    told?.inputTokens,
    told?.cacheReadTokens,
    told?.cacheWriteShortTokens,
    told?.cacheWriteLongTokens,
    told?.outputTokens,
  ];
}

function usage([inputTokens, cacheReadTokens, short, long, outputTokens]: Figures, raw: unknown): Usage {
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteShortTokens: short,
    cacheWriteLongTokens: long,
    outputTokens,
    terms: [],
    raw,
  };
}
