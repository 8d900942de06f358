import type { Mutant } from '../test/mutants/mutant.ts';

/** The text with the mutant in place. Throws unless its text stands there exactly once. */
export function applyMutant(code: string, { name, file, find, replace }: Mutant): string {
  const count = code.split(find).length - 1;
  if (count === 1) return code.replace(find, () => replace);
  throw new Error(
    `mutant "${name}": expected its text once in ${file}, found it ${count} times; mend the mutant.`,
  );
}
