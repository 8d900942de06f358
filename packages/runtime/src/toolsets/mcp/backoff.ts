/** The first wait before a restart, in ms. */
const firstMs = 1_000;

/** The longest wait, in ms. */
const longestMs = 32_000;

/**
 * How long to wait before the restart of that number, from 1: a second, doubled each time up to 32. The second half of
 * each wait is left to chance (`random` gives 0–1), so that servers that failed together don't come back together.
 */
export function backoffMs(restart: number, random: () => number): number {
  const fullMs = Math.min(firstMs * 2 ** (restart - 1), longestMs);
  return Math.round(fullMs / 2 + (fullMs / 2) * random());
}
