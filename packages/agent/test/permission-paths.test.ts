import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSymbolicLink } from '@quartermaster/agent/permissions';
import type { PathSurroundings } from '@quartermaster/agent/permissions';
import { describe, expect, test } from 'vitest';
import { decideOn, engineOf } from './engine.ts';

const rules = ['allow filesystem.write', 'deny filesystem.write: /secret/**'];
const links = (table: Record<string, string>): Partial<PathSurroundings> => ({ readLink: (at) => table[at] });

function answer(
  target: unknown,
  changes: Partial<PathSurroundings> = {},
  given: readonly string[] = rules,
): string {
  return decideOn(engineOf(given, changes), 'filesystem.write', target).type;
}

/** The paths that a target was read as, or why it was refused. */
function readingOf(target: string, changes: Partial<PathSurroundings> = {}): readonly string[] {
  const { findings } = decideOn(engineOf([], changes), 'filesystem.write', target);
  return findings.map(({ target: path, answer: said, note = '' }) => (said === 'deny' ? note : path));
}

describe('P1: a path is the file that it leads to', () => {
  test.each([
    ['/secret/key', 'deny'],
    ['/secret', 'deny'],
    ['/secrets/key', 'allow'],
    ['/public/../secret/key', 'deny'],
    ['../../secret/key', 'deny'],
    ['//secret//./key', 'deny'],
    ['/', 'ask'],
    ['notes.md', 'allow'],
  ])('P1: %s with what is under /secret denied is a case of %s', (target, expected) => {
    expect(answer(target)).toBe(expected);
  });

  test('P1: a link is followed, wherever it stands on the way, also above a file that is not there yet', () => {
    const table = links({
      '/work/space/cache': '/secret',
      '/work/space/a': 'b',
      '/work/space/b': '../../secret',
    });
    expect(answer('cache/new/file', table)).toBe('deny');
    expect(answer('a/new', table)).toBe('deny');
    expect(answer('other/new', table)).toBe('allow');
  });

  test('P1: .. after a link is judged both as the kernel and as a tidying program reads it', () => {
    const table = links({ '/work/space/deep': '/secret/inner' });
    expect(answer('deep/../key', table)).toBe('deny');
    const lexical = links({ '/work/space/out': '/elsewhere' });
    expect(answer('out/../../../secret/key', lexical)).toBe('deny');
  });

  test('P1: links that lead in a circle, or that can not be read, refuse the path', () => {
    expect(answer('loop', links({ '/work/space/loop': 'loop' }))).toBe('deny');
    const closed = (): never => {
      throw new Error('EACCES');
    };
    expect(answer('x', { readLink: closed })).toBe('deny');
  });

  test('P1: ~ is the home, another user’s home is refused', () => {
    const home = ['allow filesystem.write', 'deny filesystem.write: ~/.ssh/**'];
    expect(answer('~/.ssh/id', {}, home)).toBe('deny');
    expect(answer('/home/ann/.ssh/id', {}, home)).toBe('deny');
    expect(answer('~bob/x', {}, home)).toBe('deny');
    expect(answer('./~bob', {}, home)).toBe('allow');
  });

  test('P1: case counts only where the file system says so', () => {
    expect(answer('/SECRET/key')).toBe('allow');
    expect(answer('/SECRET/key', { isCaseSensitive: false })).toBe('deny');
    expect(answer('/ſecret/key', { isCaseSensitive: false })).toBe('deny');
    const accents = ['allow filesystem.write', 'deny filesystem.write: /caf\u00e9/**'];
    expect(answer('/cafe\u0301/x', { isCaseSensitive: false }, accents)).toBe('deny');
  });

  test.each<[string, readonly string[]]>([
    ['/', ['/']],
    ['/a//b/./c/', ['/a/b/c']],
    ['a', ['/work/space/a']],
    ['.', ['/work/space']],
    ['..', ['/work']],
    ['../../../..', ['/']],
    ['/a/b/..', ['/a']],
    ['~', ['/home/ann']],
    ['~/a', ['/home/ann/a']],
    ['./~', ['/work/space/~']],
    ['a/~/b', ['/work/space/a/~/b']],
    ['/to-tilde', ['/~/a']],
    ['/to-root/x', ['/x']],
    ['/to-tilde/..', ['/', '/~']],
    [`/${'x'.repeat(4_095)}`, [`/${'x'.repeat(4_095)}`]],
  ])('P1: %s is read as %j', (target, paths) => {
    expect(readingOf(target, links({ '/to-tilde': '~/a', '/to-root': '/' }))).toEqual(paths);
  });

  test.each([
    ['a\0b', 'it holds a character that no path can'],
    ['a\ud800', 'it holds a character that no path can'],
    [`/${'x'.repeat(4_096)}`, 'it has more than 4096 characters'],
    ['~bob/x', 'whose home ~bob/x means is not known; write ./~ for a plain name'],
    ['/loop', "it can't be followed: more than 40 symbolic links"],
    ['/bad/x', "it can't be followed: the link at /bad: it holds a character that no path can"],
  ])('P1: %j is denied, and the reason is told', (target, reason) => {
    expect(readingOf(target, links({ '/loop': 'loop', '/bad': 'a\0' }))).toEqual([reason]);
  });

  test('P1: forty links are followed, as on Linux, and no more', () => {
    const chain = (length: number): Partial<PathSurroundings> =>
      links(Object.fromEntries(Array.from({ length }, (_, index) => [`/${index}`, `${index + 1}`])));
    expect(readingOf('/0', chain(40))).toEqual(['/40']);
    expect(readingOf('/0', chain(41))).toEqual([expect.stringContaining('more than 40')]);
  });

  test('P1: a link that can not be read refuses a target, and leaves a rule as it is written', () => {
    const closed = (at: string): undefined => {
      if (at === '/closed/x') throw new Error('EACCES');
    };
    expect(readingOf('/closed/x/y', { readLink: closed })).toEqual(["it can't be followed: EACCES"]);
    expect(
      answer('/closed', { readLink: closed }, [
        'allow filesystem.write',
        'deny filesystem.write: /closed/x/**',
      ]),
    ).toBe('ask');
  });

  test('P1: an empty text is no path, also where a command line names it', () => {
    expect(answer('')).toBe('deny');
    const decision = decideOn(engineOf(['allow *']), 'shell.run', 'git log > ""');
    expect(decision).toMatchObject({ type: 'deny', reason: expect.stringContaining('it is empty') });
  });

  test('P1: on a real disk, a link inside the workspace does not lead out of it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'qm-paths-'));
    try {
      await mkdir(path.join(folder, 'space'));
      await mkdir(path.join(folder, 'secret'));
      await symlink('../secret', path.join(folder, 'space', 'door'));
      const workspace = path.join(folder, 'space');
      const engine = engineOf(['allow filesystem.write: ${workspace}/**'], {
        workspace,
        readLink: readSymbolicLink,
      });
      expect(decideOn(engine, 'filesystem.write', 'door/new').type).toBe('ask');
      expect(decideOn(engine, 'filesystem.write', 'plain/new').type).toBe('allow');
      expect(decideOn(engine, 'filesystem.write', 'door/../plain').type).toBe('ask');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('P1: Windows', () => {
  const windows: Partial<PathSurroundings> = {
    platform: 'windows',
    isCaseSensitive: false,
    workspace: String.raw`C:\work`,
    home: String.raw`C:\Users\Ann`,
  };
  const windowsRules = ['allow filesystem.write', String.raw`deny filesystem.write: C:\secret\**`];

  test.each([
    [String.raw`C:\secret\key`, 'deny'],
    ['c:/SECRET/key', 'deny'],
    [String.raw`C:\secret. \key`, 'deny'],
    [String.raw`C:\secret...\key`, 'deny'],
    [String.raw`..\secret\key`, 'deny'],
    [String.raw`\\?\C:\secret\key`, 'deny'],
    [String.raw`C:\other\key`, 'allow'],
    [String.raw`\\?\UNC\host\share\key`, 'allow'],
    [String.raw`~\key`, 'allow'],
  ])('P1: %s is a case of %s', (target, expected) => {
    expect(answer(target, windows, windowsRules)).toBe(expected);
  });

  test.each([
    ['C:\\', 'c:/'],
    [String.raw`C:\A\b`, 'c:/A/b'],
    [String.raw`C:\a\..\b`, 'c:/b'],
    [String.raw`C:\..\..\b`, 'c:/b'],
    [String.raw`a. .\b`, 'c:/work/a/b'],
    ['~', 'c:/Users/Ann'],
    [String.raw`~\key`, 'c:/Users/Ann/key'],
    [String.raw`\\?\C:\key`, 'c:/key'],
    [String.raw`\\Host\Share`, '//host/share/'],
    [String.raw`\\Host\Share\key`, '//host/share/key'],
    [String.raw`\\host\share\..\key`, '//host/share/key'],
    [String.raw`\\?\UNC\Host\Share\key`, '//host/share/key'],
    ...['console', 'xcon', 'com', 'lpta', 'com12', 'a~b', 'null.txt'].map((name) => [
      name,
      `c:/work/${name}`,
    ]),
  ])('P1: %s is read as %s', (target, path = '') => {
    expect(readingOf(target, { ...windows, isCaseSensitive: true })).toContain(path);
  });

  test.each(
    String.raw`CON · prn.txt · Aux · nul · conin$ · CONOUT$ · com1 · COM9.log · lpt² · com³ · a:b · a< · a>b · a" · a|b · a? · a* · progra~1 · x~9.txt`
      .split(' · ')
      .concat('a\u0001'),
  )('P1: a file called %j is none, in no folder', (name) => {
    expect(readingOf(`C:\\x\\${name}\\y`, windows)).toEqual([`"${name}" is no plain file name on Windows`]);
  });

  test.each([
    [String.raw`C:key`, 'it is a device or depends on a current folder'],
    [String.raw`\key`, 'it is a device or depends on a current folder'],
    [String.raw`\\.\PhysicalDrive0`, 'it is a device or depends on a current folder'],
    [String.raw`\\host`, 'it is a device or depends on a current folder'],
    [String.raw`~bob\x`, 'a name that starts with ~ is a home or a short name'],
    [String.raw`x\c:y`, '"c:y" is no plain file name on Windows'],
    [String.raw`C:\x\ . \y`, '"" is no plain file name on Windows'],
  ])('P1: %s is denied, and the reason is told', (target, reason) => {
    expect(readingOf(target, windows)).toEqual([reason]);
  });

  test.each([
    String.raw`C:key`,
    String.raw`\key`,
    String.raw`\\.\PhysicalDrive0`,
    String.raw`C:\PROGRA~1\x`,
    String.raw`C:\x\file.txt:stream`,
    String.raw`C:\x\CON`,
    String.raw`C:\x\nul.txt`,
    String.raw`C:\x\ . \y`,
  ])('P1: %s names a file in a way that hides which, and is denied', (target) => {
    expect(answer(target, windows, windowsRules)).toBe('deny');
  });
});

describe('P1: patterns of paths', () => {
  test.each([
    ['/a/**', '/a', true],
    ['/a/**', '/a/b/c', true],
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/b/c', false],
    ['/a/**/z', '/a/z', true],
    ['/a/**/z', '/a/b/c/z', true],
    ['/a/**/z', '/a/b/zz', false],
    ['/a/*.md', '/a/b.md', true],
    ['/a/*.md', '/a/b.mdx', false],
    ['docs/**', '/work/space/docs/x', true],
    ['${workspace}/docs/*', '/work/space/docs/x', true],
    ['${home}/x', '/home/ann/x', true],
    ['**/x', '/work/space/deep/x', true],
    ['**/x', '/other/x', false],
    ['/a/**/b/**/c', '/a/b/c', true],
    ['/a/**/b/**/c', '/a/x/b/x/x/c', true],
    ['/a/**/b/**/c', '/a/x/c', false],
    ['/a/**/b/c', '/a/b/x/b/c', true],
    ['/a/**/b/c', '/a/b/x/c', false],
    ['/a/*/**', '/a', false],
    ['/a/*/**', '/a/b', true],
    ['/a/*/**', '/a/b/c', true],
    ['/**', '/any/thing', true],
    ['/**', '/', true],
    ['/*', '/a', true],
    ['/*', '/a/b', false],
    ['/a*b/./c', '/axb/c', true],
    ['/a', '/a', true],
    ['/a', '/a/b', false],
    ['/a', '/ab', false],
    ['x/${home}/*', '/work/space/x/home/ann/y', false],
    ['/a/*//b', '/a/x/b', true],
    ['a*', '/work/space/ab', true],
    ['a*', '/work/ab', false],
    ['/link/*', '/real/x', true],
    ['/link/*', '/link/x', true],
    ['/link/../*', '/x', true],
    ['/link/../*', '/far/x', true],
  ])('P1: %s covers %s: %s', (pattern, target, isCovered) => {
    const table = links({ '/link': '/real', '/real': '/far/away' });
    expect(answer(target, table, [`allow filesystem.write: ${pattern}`])).toBe(isCovered ? 'allow' : 'ask');
  });

  test.each([
    ['/home/ann/.ssh/**', '/etc', 'allow'],
    ['/home/ann/.ssh/**', '/home/ben/.ssh/x', 'allow'],
    ['/home/ann/.ssh/**', '/home/ann/.sshx', 'allow'],
    ['/home/ann/*.md', '/home/ann/x/y.md', 'allow'],
    ['/home/ann/*.md', '/home/ann', 'ask'],
    ['/home/ann/**/key', '/home/ann/x', 'allow'],
    ['/link/../x/**', '/far/away', 'allow'],
    ['/link/../x/**', '/x/y', 'deny'],
    ['/link/../x/**', '/far/x/y', 'deny'],
    ['/link/../x/**', '/far', 'ask'],
  ])('P1: with a deny of %s, %s is a case of %s', (pattern, target, expected) => {
    const table = links({ '/link': '/far/away' });
    const given = ['allow filesystem.write', `deny filesystem.write: ${pattern}`];
    expect(answer(target, table, given)).toBe(expected);
  });

  test('P1: a pattern that can be no path is refused with the reason', () => {
    expect(() => engineOf(['deny filesystem.write: ~bob/*'])).toThrow('whose home ~bob/ means is not known');
  });

  test('P1: a folder that holds what a rule denies is asked about, since tools work on whole folders', () => {
    expect(answer('/home', {}, ['allow filesystem.write', 'deny filesystem.write: /home/ann/.ssh/**'])).toBe(
      'ask',
    );
  });
});
