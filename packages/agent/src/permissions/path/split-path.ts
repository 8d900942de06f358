import type { PathSurroundings } from './path-surroundings.ts';

/** An absolute path in its parts. */
export interface SplitPath {
  /** `/`, or on Windows `c:/` and `//server/share/`: with a slash at its end, which `..` never leaves. */
  readonly root: string;
  /** Neither empty nor `.`; `..` is still there. */
  readonly segments: readonly string[];
}

type Split = ({ readonly type: 'split' } & SplitPath) | { readonly type: 'refused'; readonly reason: string };

interface Start extends Pick<PathSurroundings, 'platform' | 'workspace'> {
  /** `undefined`: `~` is a name like any other, as in a symbolic link. */
  readonly home: string | undefined;
}

const mostCharacters = 4_096;

/** Characters that no name has, short names, and devices, which answer in every folder and with any extension. */
const oddName = /[:<>"|?*\x00-\x1f]|~\d|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(\.|$)/i;

/** Splits a path, made absolute; refuses what systems and programs read differently. */
export function splitPath(text: string, start: Start): Split {
  if (text === '') return refuse('it is empty');
  if (text.length > mostCharacters) return refuse(`it has more than ${mostCharacters} characters`);
  if (text.includes('\0') || !text.isWellFormed()) return refuse('it holds a character that no path can');
  return start.platform === 'windows' ? splitWindows(text, start) : splitPosix(text, start);
}

function splitPosix(text: string, start: Start): Split {
  const absolute = text.startsWith('/') ? text : expand(text, start);
  if (absolute === undefined)
    return refuse(`whose home ${text} means is not known; write ./~ for a plain name`);
  return { type: 'split', root: '/', segments: segmentsOf(absolute) };
}

/** `~` and relative paths; `undefined` for another user's home. */
function expand(text: string, { home, workspace }: Start): string | undefined {
  if (home === undefined || !text.startsWith('~')) return `${workspace}/${text}`;
  if (text === '~' || text.startsWith('~/')) return home + text.slice(1);
  return undefined;
}

/**
 * Reads `/` and `\` alike and drops the dots and spaces at the end of a name, as Windows does. Refused, since they name
 * a file by another name than its own or no file at all: streams (`a:b`), short names (`PROGRA~1`), devices (`CON`),
 * `\\.\`, and paths relative to a drive's current folder (`c:a`, `\a`).
 */
function splitWindows(text: string, start: Start): Split {
  const slashed = text
    .replaceAll('\\', '/')
    .replace(/^\/\/\?\/(?:UNC\/|(?=[a-z]:))/i, (prefix) => (prefix.length > 4 ? '//' : ''));
  const rooted = /^([a-z]:\/|\/\/[^/?.][^/]*\/[^/]+(?:\/|$))(.*)$/is.exec(slashed);
  if (rooted === null) {
    if (/^\/|^[a-z]:/i.test(slashed)) return refuse('it is a device or depends on a current folder');
    const absolute = expand(slashed, start);
    if (absolute === undefined) return refuse('a name that starts with ~ is a home or a short name');
    return splitWindows(absolute, { ...start, home: undefined });
  }
  const [, root = '', rest = ''] = rooted;
  const segments = segmentsOf(rest).map((name) => (name === '..' ? name : name.replace(/[. ]+$/, '')));
  const odd = segments.find((name) => name === '' || oddName.test(name));
  if (odd !== undefined) return refuse(`"${odd}" is no plain file name on Windows`);
  return { type: 'split', root: root.toLowerCase().replace(/\/?$/, '/'), segments };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function refuse(reason: string): Split {
  return { type: 'refused', reason };
}
