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
