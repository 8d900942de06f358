import { fold, readPath } from './path-target.ts';
import type { PathSurroundings } from './path-surroundings.ts';
import type { Certainty, Pattern } from '../pattern.ts';
import { compileWildcard } from '../wildcard.ts';

type SegmentTest = ((segment: string) => boolean) | 'any-segments';

/**
 * Compiles a pattern of paths. It starts with `/`, `~`, `${workspace}`, `${home}`, or in the workspace; `*` stands for a
 * run of characters in one segment, `**` for any number of segments, none included: `/a/**` is `/a` and all below it.
 * The part before the first `*` is canonicalised as a target is.
 */
export function compilePathPattern(pattern: string, surroundings: PathSurroundings): Pattern<string> {
  const { literal, segments } = divide(fillNames(pattern, surroundings));
  if (segments.includes('..')) return { type: 'refused', reason: '.. can not follow a *' };
  const readLink = (path: string): string | undefined => tryReadLink(path, surroundings);
  const reading = readPath(literal === '' ? surroundings.workspace : literal, { ...surroundings, readLink });
  if (reading.type === 'refused') return { type: 'refused', reason: reading.reason };
  const [folder = '', ...others] = reading.paths;
  const tests = segments.map((segment): SegmentTest =>
    segment === '**' ? 'any-segments' : compileWildcard(fold(segment, surroundings)),
  );
  return {
    type: 'pattern',
    match(path) {
      const found = matchBelow(folder, tests, path);
      return others.length === 0
        ? found
        : strongest([found, ...others.map((other) => matchBelow(other, tests, path))]);
    },
  };
}

/** A rule may be about a folder that we can't look into; targets in there are refused by themselves. */
function tryReadLink(path: string, { readLink }: PathSurroundings): string | undefined {
  try {
    return readLink(path);
  } catch {
    return undefined;
  }
}

/** `maybe`: the target holds what the pattern names, and what is done to a folder may be done to all in it. */
function matchBelow(folder: string, tests: readonly SegmentTest[], path: string): Certainty {
  if (path.length < folder.length) return isBelow(folder, path) ? 'maybe' : 'no';
  // Rules about a folder's neighbours differ at its end, and most of many rules are such neighbours.
  if (path.charCodeAt(folder.length - 1) !== folder.charCodeAt(folder.length - 1)) return 'no';
  if (path === folder) return tests.every((test) => test === 'any-segments') ? 'yes' : 'maybe';
  if (!isBelow(path, folder)) return 'no';
  if (tests.length === 1 && tests[0] === 'any-segments') return 'yes';
  const below = path.slice(folder.endsWith('/') ? folder.length : folder.length + 1).split('/');
  return matchSegments(tests, below) ? 'yes' : 'no';
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (folder.endsWith('/') || path[folder.length] === '/');
}

/** At each mismatch the last `**` takes one segment more: no more steps than tests times segments. */
function matchSegments(tests: readonly SegmentTest[], segments: readonly string[]): boolean {
  let test = 0;
  let segment = 0;
  let retryTest = -1;
  let retrySegment = 0;
  while (segment < segments.length) {
    const current = tests[test];
    if (current === 'any-segments') {
      [retryTest, retrySegment] = [test + 1, segment];
      test += 1;
    } else if (current?.(segments[segment] ?? '') === true) {
      test += 1;
      segment += 1;
    } else if (retryTest === -1) {
      return false;
    } else {
      retrySegment += 1;
      [test, segment] = [retryTest, retrySegment];
    }
  }
  return tests.slice(test).every((rest) => rest === 'any-segments');
}

function strongest(certainties: readonly Certainty[]): Certainty {
  if (certainties.includes('yes')) return 'yes';
  return certainties.includes('maybe') ? 'maybe' : 'no';
}

function fillNames(pattern: string, { workspace, home }: PathSurroundings): string {
  return pattern.replace(/^\$\{(workspace|home)\}/, (_, name: string) =>
    name === 'home' ? home : workspace,
  );
}

/** The path before the first segment with a `*`, and the segments from there on. */
function divide(pattern: string): { readonly literal: string; readonly segments: readonly string[] } {
  const star = pattern.indexOf('*');
  if (star === -1) return { literal: pattern, segments: [] };
  const end = pattern.slice(0, star).search(/[/\\][^/\\]*$/);
  const literal = pattern.slice(0, end + 1);
  return {
    literal,
    segments: pattern
      .slice(end + 1)
      .split(/[/\\]/)
      .filter((part) => part !== '' && part !== '.'),
  };
}
