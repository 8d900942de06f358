import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listDependencies, listFiles, readManifests, readText, root } from './tree.ts';

const sourceCondition = 'quartermaster-source';
const manifests = readManifests();

describe('manifests', () => {
  test('all packages have one version and the Apache-2.0 license', () => {
    expect(manifests.length).toBeGreaterThan(1);
    for (const { file, version, license } of manifests) {
      expect({ file, version, license }).toEqual({
        file,
        version: manifests[0]?.version,
        license: 'Apache-2.0',
      });
    }
    expect(readText('LICENSE')).toMatch(/Apache License\s+Version 2\.0/);
  });

  test('every export leads to its source first, and to the build of the same file', () => {
    const packages = manifests.filter(({ file }) => file.startsWith('packages/'));
    for (const { file, exports } of packages) {
      expect(exports, file).toBeDefined();
      for (const targets of Object.values(exports ?? {})) {
        const source = targets[sourceCondition] ?? '';
        const built = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
        expect(Object.entries(targets), file).toEqual([
          [sourceCondition, expect.stringMatching(/^\.\/src\/.+\.ts$/)],
          ['types', `${built}.d.ts`],
          ['default', `${built}.js`],
        ]);
        expect(existsSync(path.join(root, path.dirname(file), source)), `${file} → ${source}`).toBe(true);
      }
    }
  });

  test('every dependency is pinned to one exact version', () => {
    const exact = /^(npm:@?[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
    const loose = manifests.flatMap((manifest) =>
      [...listDependencies(manifest)]
        .filter(([, version]) => !exact.test(version))
        .map(([name, version]) => `${manifest.file}: ${name}@${version}`),
    );
    expect(loose).toEqual([]);
  });
});

describe('files', () => {
  test.each(['qm', '.ci/run'])('%s can be run', (file) => {
    expect(statSync(path.join(root, file)).mode & 0o111).toBe(0o111);
  });

  test('no file names a place on the machine of who wrote it', () => {
    const places = ['/root', homedir(), root].map((place) => place.replaceAll(/[^\w/]/g, String.raw`\$&`));
    const named = new RegExp(String.raw`(?<![\w.~*-])(?:${places.join('|')})/[\w.]`);
    const naming = listFiles().filter((file) => named.test(readText(file)));
    expect(naming).toEqual([]);
  });

  test('links between documents lead somewhere', () => {
    const pages = listFiles().filter((file) => file.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.flatMap(findDeadLinks)).toEqual([]);
  });
});

/** `page → target` for each relative link whose file or heading is not there. */
function findDeadLinks(page: string): readonly string[] {
  const prose = readText(page).replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !isThere(page, target))
    .map((target) => `${page} → ${target}`);
}

function isThere(page: string, target: string): boolean {
  const [location = '', anchor] = target.split('#');
  const file = location === '' ? page : path.join(path.dirname(page), location);
  if (!existsSync(path.join(root, file))) return false;
  return anchor === undefined || listAnchors(readText(file)).has(anchor);
}

/** The ids that GitHub gives to the headings of a page. */
function listAnchors(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number}\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
