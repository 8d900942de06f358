import { expect } from 'vitest';
import type { KillReport } from './kill-turns.ts';

/** A generator of numbers from 0 to 1 (mulberry32): the same seed, the same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Every session opens and goes on at once, the provider takes every request, and no tool ran twice. */
export function expectUnharmed({ kills, statuses, runs, told }: KillReport): void {
  expect(kills.map(({ next }) => next)).toEqual(kills.map(() => 'completed'));
  expect(statuses.filter((status) => status !== 200 && status !== 0)).toEqual([]);
  expect(runs.length).toBe(new Set(runs).size);
  // What a history says of a call is what happened to it.
  const written = [...told].filter(([, { name }]) => name === 'write');
  const wrong = written.filter(([call, { outcome }]) => {
    if (outcome === 'completed') return !runs.includes(call);
    return outcome === 'not-started' && runs.includes(call);
  });
  expect(wrong).toEqual([]);
}
