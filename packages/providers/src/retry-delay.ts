const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** How long to wait after the try number `tries` (from 0): doubled each time, less up to a quarter by chance, as the vendors' SDKs do. */
export function retryDelayMs(tries: number, random: () => number): number {
  return Math.min(firstDelayMs * 2 ** tries, longestDelayMs) * (1 - random() * 0.25);
}

/** `retry-after-ms`, else `retry-after` in seconds; a date in it is not read, since it needs a clock that agrees. */
export function readRetryAfterMs(
  headers: { get(name: string): string | null } | undefined,
): number | undefined {
  const ms = positive(headers?.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const seconds = positive(headers?.get('retry-after'));
  return seconds === undefined ? undefined : seconds * 1_000;
}

function positive(text: string | null | undefined): number | undefined {
  const value = Number.parseFloat(text ?? '');
  return value >= 0 ? value : undefined;
}
