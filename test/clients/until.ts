import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;

/**
 * Asks again and again until the answer is something, and gives that. Rejects after `deadlineMs`, naming
 * what it waited for.
 */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  deadlineMs: number,
): Promise<Answer> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${deadlineMs} ms for ${what}, in vain.`);
    await pause(pollMs);
  }
}

/** Whether the `/stats` of a gateway with one upstream, model and route say that its check has passed; for `until`. */
export function hasPassedCheck(stats: unknown): true | undefined {
  if (typeof stats !== 'object' || stats === null || !('tool_defer' in stats)) return undefined;
  const { tool_defer: deferral } = stats;
  if (typeof deferral !== 'object' || deferral === null || !('verdicts' in deferral)) return undefined;
  return JSON.stringify(deferral.verdicts).includes('"pass"') ? true : undefined;
}
