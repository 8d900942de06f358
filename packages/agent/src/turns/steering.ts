/** What is said to a turn while it runs (RL5). */
export interface Steering {
  /** `false` once the turn has ended. */
  say(text: string): boolean;
  /** All that was said since the last call, in order. */
  take(): readonly string[];
  /** Ends it; what nobody has taken. */
  close(): readonly string[];
}

/** Makes the steering of one turn. */
export function createSteering(): Steering {
  let isOpen = true;
  const said: string[] = [];
  const take = (): readonly string[] => said.splice(0);
  return {
    say: (text) => {
      if (isOpen) said.push(text);
      return isOpen;
    },
    take,
    close: () => {
      isOpen = false;
      return take();
    },
  };
}
