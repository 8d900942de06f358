import type { PathSurroundings } from './path-surroundings.ts';
import { splitPath } from './split-path.ts';
import type { SplitPath } from './split-path.ts';

/** Every file that a text may name, absolute and without links, or why it names none for certain. */
export type PathReading =
  | { readonly type: 'paths'; readonly paths: readonly string[] }
  | { readonly type: 'refused'; readonly reason: string };

/** Linux gives up at the same number. */
const mostLinks = 40;

/**
 * Canonicalises (P1): `~`, relative paths, `.`, `..`, symbolic links (those above a file that is not there yet, too),
 * case, and the forms of Windows. The kernel follows a link before `..`; programs that tidy a path first do not. Where
 * the two differ both are answered, and both have to be allowed.
 */
export function readPath(text: string, surroundings: PathSurroundings): PathReading {
  const split = splitPath(text, surroundings);
  if (split.type === 'refused') return split;
  const { root, segments } = split;
  const ways = segments.includes('..') ? [tidy(segments), segments] : [segments];
  try {
    const paths = ways.map((way) => fold(followLinks({ root, segments: way }, surroundings), surroundings));
    return { type: 'paths', paths: [...new Set(paths)] };
  } catch (error) {
    const reason = `it can't be followed: ${error instanceof Error ? error.message : String(error)}`;
    return { type: 'refused', reason };
  }
}

/** The spelling in which two names of one file are equal. */
export function fold(path: string, { isCaseSensitive }: Pick<PathSurroundings, 'isCaseSensitive'>): string {
  // By upper case first, since `ſ` and the Kelvin sign are lower case of their own.
  return isCaseSensitive ? path : path.normalize('NFC').toUpperCase().toLowerCase();
}

/** Takes `..` away by the text alone. */
function tidy(segments: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return kept;
}

/** As the kernel walks: segment by segment, each link in the place where it stands. */
function followLinks({ root, segments }: SplitPath, surroundings: PathSurroundings): string {
  const pending = segments.toReversed();
  let folder = root;
  let links = 0;
  for (let segment = pending.pop(); segment !== undefined; segment = pending.pop()) {
    if (segment === '..') {
      folder = parentOf(folder, root);
      continue;
    }
    const path = folder.endsWith('/') ? folder + segment : `${folder}/${segment}`;
    const held = surroundings.readLink(path);
    if (held === undefined) {
      folder = path;
      continue;
    }
    links += 1;
    if (links > mostLinks) throw new Error(`more than ${mostLinks} symbolic links`);
    const target = splitPath(held, { ...surroundings, workspace: folder, home: undefined });
    if (target.type === 'refused') throw new Error(`the link at ${path}: ${target.reason}`);
    root = target.root;
    folder = root;
    pending.push(...target.segments.toReversed());
  }
  return folder;
}

function parentOf(folder: string, root: string): string {
  const end = folder.lastIndexOf('/');
  return end < root.length ? root : folder.slice(0, end);
}
