import fc from 'fast-check';
import { expect } from 'vitest';
import { decideOn, engineOf } from '../engine.ts';
import { line } from './command-lines.ts';
import { leastAllowed } from './options.ts';
import type { FuzzOptions, FuzzTally } from './options.ts';

const commandRules = ['git', 'ls', 'sh', 'eval', 'echo'].map((name) => `allow shell.run: ${name} *`);

/** P5: no line is allowed that has another command in it, writes a file or sets a variable; the others mostly are. */
export function checkCommands(options: FuzzOptions): FuzzTally {
  const engine = engineOf([...commandRules, 'deny shell.run: rm *']);
  const counts = { allowed: 0, plain: 0 };
  fc.assert(
    fc.property(line, ({ text, commands, others }) => {
      const answer = decideOn(engine, 'shell.run', text).type;
      const hasRm = commands.includes('rm');
      const isPlain = !hasRm && others.length === 0;
      if (isPlain) counts.plain += 1;
      if (answer === 'allow') {
        counts.allowed += 1;
        expect({ commands: commands.filter((name) => name === 'rm'), others }).toEqual({
          commands: [],
          others: [],
        });
      }
      // A line in which nothing is hidden and nothing unknown can be told for certain.
      if (hasRm) expect(['deny', 'ask']).toContain(answer);
    }),
    options,
  );
  expect(counts.allowed).toBeGreaterThan(options.numRuns * leastAllowed);
  expect(counts.allowed).toBeGreaterThan(counts.plain / 2);
  return { cases: options.numRuns, allowed: counts.allowed };
}
