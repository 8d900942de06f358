/**
 * Runs `run` once at a time. Asked for while it runs, however often, it runs once more after that: what it reads is as
 * new as the last that asked. Contract: `run` does not reject.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await run();
    }
    isRunning = false;
  };
}
