import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { decideOn, engineOf } from '../engine.ts';
import { runInBash } from './bash-reference.ts';
import { line } from './command-lines.ts';
import { leastAllowed } from './options.ts';
import type { FuzzOptions, FuzzTally } from './options.ts';

/** Words that stand for commands. None is a builtin, and no line can make a program of one. */
const bashWords: readonly string[] = ['git', 'ls', 'rm', 'out', 'x', 'E'];
/** Between the dots, a line break as ⏎; those that stand there twice come twice as often. */
const tokens =
  'git·git·ls·rm·rm·x·out· · · ·⏎·;·|·||·&&·&·|&·(·)·{ ·; }·$(·$(rm x)·`·"·"·\\·<(·>(·1>(·a<(·2·$((·))·((·[[ · ]]·${x:-·${x-·}·#·$·$x·*·~·' +
  "'·'·$'·<<E⏎·⏎E⏎·<<<·<<'E'⏎·> out·>> out·2>&1·! ·if ·; then ·; fi·eval ·trap ·declare ·export ·-- ·-i ·EXIT·x=·a[·]·" +
  '{x,rm}·@(rm|x)·case x in x) · ;; esac·for x in rm; do ·; done·test ·[ · ]·-v ·-eq 1·command ·builtin ·printf ·read ';

const soup = fc
  .array(fc.constantFrom(...tokens.replaceAll('⏎', '\n').split('·')), { minLength: 1, maxLength: 10 })
  .map((each) => `git ${each.join('')}`)
  // A function of a line's own could call itself for ever.
  .filter((text) => !/\(\s*\)/.test(text));

const allowedNames = 'git ls eval trap declare export test [ command builtin printf read'.split(' ');

/** P5: whatever line is allowed, a real bash runs no other command for it and writes no file. */
export async function checkAgainstBash({ seed, numRuns }: FuzzOptions): Promise<FuzzTally> {
  const engine = engineOf([
    ...allowedNames.map((name) => `allow shell.run: ${name} *`),
    'allow shell.environment',
  ]);
  const lines = [
    ...new Set([
      ...fc.sample(soup, { seed, numRuns }),
      ...fc
        .sample(line, { seed, numRuns: numRuns / 10 })
        .map(({ text }) => text)
        .filter((text) => !text.includes('while')),
    ]),
  ];
  const allowed = lines.filter((text) => decideOn(engine, 'shell.run', text).type === 'allow');
  expect(allowed.length).toBeGreaterThan(lines.length * leastAllowed);
  const ran = await runInBash(allowed, bashWords);
  const wrong = allowed.filter((_, index) => {
    const { commands = new Set<string>(), hasWritten = false } = ran[index] ?? {};
    return hasWritten || [...commands].some((name) => name !== 'git' && name !== 'ls');
  });
  expect(wrong).toEqual([]);
  // The stand-ins do note what they are called for.
  expect(ran.filter(({ commands }) => commands.has('git')).length).toBeGreaterThan(allowed.length / 4);
  return { cases: lines.length, allowed: allowed.length };
}

/** Lines that were written to be misread. Most of them run `rm`, if only when bash is asked. */
const hostileLines = JSON.parse(
  readFileSync(new URL('hostile-lines.json', import.meta.url), 'utf8'),
) as readonly string[];

/** P5: where all but `rm` is allowed, no line is allowed in which a real bash runs it. */
export async function checkHostileLines(): Promise<void> {
  const engine = engineOf(['allow *', 'deny shell.run: rm *']);
  const ran = await runInBash(hostileLines, [...bashWords, 'cat', 'y']);
  const wrong = hostileLines.filter(
    (text, index) =>
      ran[index]?.commands.has('rm') === true && decideOn(engine, 'shell.run', text).type === 'allow',
  );
  expect(wrong).toEqual([]);
  expect(ran.filter(({ commands }) => commands.has('rm')).length).toBeGreaterThan(hostileLines.length / 2);
}
