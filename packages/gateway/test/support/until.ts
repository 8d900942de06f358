const deadlineMs = 10_000;
const pauseMs = 5;

/** Waits for a state that only polling shows; rejects after a deadline that no healthy run comes near. */
export async function until(isReached: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = Date.now() + deadlineMs;
  while (!(await isReached())) {
    if (Date.now() > giveUpAtMs) throw new Error(`the state was not reached within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
