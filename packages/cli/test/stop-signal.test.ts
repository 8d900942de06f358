import { expect, test } from 'vitest';
import { awaitStopSignal } from '../src/stop-signal.ts';

function arrange() {
  const listeners = new Set<() => void>();
  const exits: number[] = [];
  let nowMs = 0;
  const stop = awaitStopSignal({
    onStop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitNow: (exitCode) => exits.push(exitCode),
    err: { isTerminal: false, write: () => {} },
    clock: { now: () => nowMs },
  });
  const signalAt = (atMs: number): void => {
    nowMs = atMs;
    for (const listener of listeners) listener();
  };
  return { stop, exits, listeners, signalAt };
}

test('the first signal asks to stop, a second one ends the process at once with exit code 1', async () => {
  const { stop, exits, signalAt } = arrange();
  signalAt(1_000);
  await stop.asked;
  expect(exits).toEqual([]);
  signalAt(1_100);
  expect(exits).toEqual([1]);
});

test('one Ctrl-C that both the terminal and npm deliver is one signal', () => {
  const { exits, signalAt } = arrange();
  signalAt(1_000);
  signalAt(1_020);
  expect(exits).toEqual([]);
});

test('leaving the scope stops listening', () => {
  const { stop, listeners } = arrange();
  stop[Symbol.dispose]();
  expect(listeners.size).toBe(0);
});
