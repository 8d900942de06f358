import { oneLine } from '../one-line.ts';

/** The first words of what a user says: the title of a session until it is given another. */
export function titleOf(text: string): string {
  return oneLine(text, { maxLength: 60 });
}
