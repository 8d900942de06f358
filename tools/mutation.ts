import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import type { Mutant } from '../test/mutants/mutant.ts';

/** Hands the mutated text of one file to the tests of this run; the tree stays as it is. */
export function mutation(root: string, { name, file, find, replace }: Mutant): Plugin {
  const mutated = path.join(root, file);
  const count = readFileSync(mutated, 'utf8').split(find).length - 1;
  if (count !== 1) {
    throw new Error(
      `mutant "${name}": expected its text once in ${file}, found it ${count} times; mend the mutant.`,
    );
  }
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(code, id) {
      return id.split('?', 1)[0] === mutated
        ? { code: code.replace(find, () => replace), map: null }
        : undefined;
    },
  };
}
