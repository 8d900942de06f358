import { expect, test } from 'vitest';
import { loadTokenCounter } from '../src/token-counter.ts';

const countTokens = await loadTokenCounter();

test('texts are counted in o200k tokens', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('hello world')).toBe(2);
});

test('what looks like a control token is counted as plain text', () => {
  expect(countTokens('a <|endoftext|> b')).toBeGreaterThan(3);
});

test('a text without breaks is counted in linear time, to within a token for each 256 characters', () => {
  const startedMs = performance.now();
  const count = countTokens('a'.repeat(1_000_000));
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  expect(count).toBeGreaterThanOrEqual(125_000);
  expect(count).toBeLessThan(125_000 + 1_000_000 / 256);
});

test('pairs of surrogates are never cut', () => {
  expect(countTokens(`x${'𝒳'.repeat(200)}`)).toBe(1 + 200 * countTokens('𝒳'));
});
