import type { ArmResult, Comparison } from './compare.ts';

/** A comparison for people: one row a figure, one column an arm. */
export function formatComparison(comparison: Comparison): string {
  const rows: readonly (readonly [string, (arm: ArmResult) => string])[] = [
    ['tasks', ({ tasks }) => String(tasks)],
    ['with deferred tools', ({ deferredTasks }) => String(deferredTasks)],
    ['right', ({ right, tasks }) => `${right} (${((100 * right) / tasks).toFixed(1)} %)`],
    [
      'without an answer',
      ({ failures }) => String(Object.values(failures).reduce((all, one) => all + one, 0)),
    ],
    ['turns a task', ({ turns, tasks }) => (turns / tasks).toFixed(2)],
    ['fresh input tokens', ({ tokens }) => String(tokens.inputTokens)],
    ['read from cache', ({ tokens }) => String(tokens.cacheReadTokens)],
    ['written to cache', ({ tokens }) => String(tokens.cacheWriteShortTokens + tokens.cacheWriteLongTokens)],
    ['output tokens', ({ tokens }) => String(tokens.outputTokens)],
    ['USD', ({ usd }) => usd.toFixed(4)],
  ];
  const lines = rows.map(([name, show]) => [name, show(comparison.deferred), show(comparison.undeferred)]);
  return [['', 'deferral on', 'deferral off'], ...lines]
    .map(([name = '', on = '', off = '']) => `${name.padEnd(22)}${on.padStart(18)}${off.padStart(18)}\n`)
    .join('');
}
