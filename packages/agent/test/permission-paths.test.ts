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

  test.each(['', 'a\0b', 'a\ud800', 'x'.repeat(5_000)])(
    'P1: a text that is no path (%j) is denied',
    (target) => {
      expect(answer(target)).toBe('deny');
    },
  );

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
  ])('P1: %s covers %s: %s', (pattern, target, isCovered) => {
    expect(answer(target, {}, [`allow filesystem.write: ${pattern}`])).toBe(isCovered ? 'allow' : 'ask');
  });

  test('P1: a folder that holds what a rule denies is asked about, since tools work on whole folders', () => {
    expect(answer('/home', {}, ['allow filesystem.write', 'deny filesystem.write: /home/ann/.ssh/**'])).toBe(
      'ask',
    );
  });
});
