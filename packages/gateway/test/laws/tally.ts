/** Counts of what happened in all runs: events, requests, exceptions by their rule. */
export type Tally = Map<string, number>;

export function count(tally: Tally, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
