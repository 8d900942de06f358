import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../tree.ts';
import type { JudgedMutant, MutantFate } from './run-mutants.ts';

/** What became of the mutants of some sources. */
export interface MutationTally {
  readonly mutants: number;
  readonly killed: number;
  /** Counted as killed: the mutant made the code go on without an end. */
  readonly timedOut: number;
  readonly survived: number;
  /** Reached by no test, and survived as well. */
  readonly notCovered: number;
  /** The killed of all, in per cent, to one decimal; rounded down. */
  readonly score: number;
}

export function tallyMutants(mutants: readonly Pick<JudgedMutant, 'fate'>[]): MutationTally {
  const count = (wanted: MutantFate): number => mutants.filter(({ fate }) => fate === wanted).length;
  const [killed, timedOut] = [count('killed'), count('timed-out')];
  return {
    mutants: mutants.length,
    killed,
    timedOut,
    survived: count('survived'),
    notCovered: count('not-covered'),
    score: Math.floor((1_000 * (killed + timedOut)) / mutants.length) / 10,
  };
}

/** A line for each mutant that no test noticed: where it is, what stood there, and what nobody missed it for. */
export function listSurvivors(mutants: readonly JudgedMutant[]): string {
  return mutants
    .filter(({ fate }) => fate === 'survived' || fate === 'not-covered')
    .map((mutant) => `${formatMutant(mutant)}\n`)
    .join('');
}

function formatMutant({ fate, fileName, location, replacement }: JudgedMutant): string {
  const { start, end } = location;
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  const last = lines.length - 1;
  const written = lines
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join('⏎');
  const place = `${path.relative(root, fileName)}:${start.line + 1}:${start.column + 1}`;
  return `${place} ${fate}: ${written} → ${replacement.replaceAll('\n', '⏎')}`;
}
