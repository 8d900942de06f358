import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the checkout. */
export const root = path.dirname(import.meta.dirname);

/** What of a package.json the tests look at. */
export interface Manifest {
  /** Relative to the root. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Every file that git tracks or would track, relative to the root, sorted. */
export function listFiles(): readonly string[] {
  const flags = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', flags, { cwd: root, encoding: 'utf8' }).split('\0');
  return [...new Set(listed)].filter((file) => file !== '' && existsSync(path.join(root, file))).toSorted();
}

/** The text of a file of the checkout. */
export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The root's and every package's. */
export function readManifests(): readonly Manifest[] {
  return listFiles()
    .filter((file) => /^(packages\/[^/]+\/)?package\.json$/.test(file))
    .map((file) => ({ ...JSON.parse(readText(file)), file }));
}

/** Direct dependencies of every kind, by name; our own packages among them. */
export function listDependencies(manifest: Manifest): ReadonlyMap<string, string> {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return new Map(
    [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap((group) =>
      Object.entries(group ?? {}),
    ),
  );
}
