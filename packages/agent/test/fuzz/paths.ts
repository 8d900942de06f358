import fc from 'fast-check';
import { expect } from 'vitest';
import { decideOn, engineOf, rule } from '../engine.ts';
import { leastAllowed } from './options.ts';
import type { FuzzOptions, FuzzTally } from './options.ts';
import { covers, walk, walkTidied } from './path-reference.ts';

const part = fc.constantFrom('a', 'b', 'c', 'ab');
const path = fc
  .tuple(
    fc.constantFrom('/', '', './', '../', '//'),
    fc.array(fc.oneof({ weight: 5, arbitrary: part }, fc.constantFrom('..', '.', '')), { maxLength: 6 }),
  )
  .map(([start, parts]) => start + parts.join('/'));
const absolute = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const pathPattern = fc
  .tuple(absolute, fc.constantFrom('', '/**', '/*', '/**/b', '/a*', '/*/c'))
  .map(([literal, rest]) => literal + rest);
const pathCase = fc.record({
  links: fc.dictionary(
    absolute,
    fc.oneof(
      absolute,
      path.filter((text) => text !== ''),
    ),
    { maxKeys: 3 },
  ),
  workspace: absolute,
  allow: fc.array(fc.oneof(pathPattern, fc.constant('/**')), { minLength: 1, maxLength: 3 }),
  deny: fc.array(pathPattern, { maxLength: 2 }),
  target: path.filter((text) => text !== ''),
});

/** P1: nothing is allowed on a file that the reference denies, or does not allow. */
export function checkPaths(options: FuzzOptions): FuzzTally {
  let allowed = 0;
  fc.assert(
    fc.property(pathCase, ({ links, workspace, allow, deny, target }) => {
      const rules = [
        ...allow.map((pattern) => rule(`allow filesystem.write: ${pattern}`)),
        ...deny.map((pattern) => rule(`deny filesystem.write: ${pattern}`, { source: 'managed' })),
      ];
      fc.pre(
        [...allow, ...deny].every(
          (pattern) => walk(pattern.replace(/\/[^/]*\*.*$/s, ''), { links, workspace }) !== undefined,
        ),
      );
      const engine = engineOf(rules, {
        workspace,
        readLink: (at) => (Object.hasOwn(links, at) ? links[at] : undefined),
      });
      const answer = decideOn(engine, 'filesystem.write', target).type;
      const world = { links, workspace };
      const text = target.startsWith('/') ? target : `${workspace}/${target}`;
      const places = [walk(text, world), walkTidied(text, world)];
      const isDenied = places.some(
        (at) => at !== undefined && deny.some((pattern) => covers(pattern, at, world)),
      );
      const isAllowed = places.every(
        (at) => at !== undefined && allow.some((pattern) => covers(pattern, at, world)),
      );
      if (answer === 'allow') {
        allowed += 1;
        expect({ isDenied, isAllowed }).toEqual({ isDenied: false, isAllowed: true });
      }
      if (isDenied) expect(answer).toBe('deny');
    }),
    options,
  );
  expect(allowed).toBeGreaterThan(options.numRuns * leastAllowed);
  return { cases: options.numRuns, allowed };
}
