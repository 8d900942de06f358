import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import { installClient } from '../clients/install.ts';
import { root } from '../tree.ts';

/** A place of a source and what is put there instead. */
export interface SourceMutant {
  readonly id: string;
  /** Absolute. */
  readonly fileName: string;
  /** Lines and columns from 0. */
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement: string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Sources with all of their mutants in them, each behind a switch. */
export interface Instrumented {
  /** By absolute path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly mutants: readonly SourceMutant[];
}

/** What we use of Stryker, whose types are not here. */
interface InstrumenterModule {
  readonly Instrumenter: new (log: object) => {
    instrument(
      files: readonly { readonly name: string; readonly mutate: true; readonly content: string }[],
      options: { readonly plugins: null; readonly excludedMutations: string[]; readonly ignorers: object[] },
    ): Promise<{
      readonly files: readonly { readonly name: string; readonly content: string }[];
      readonly mutants: readonly SourceMutant[];
    }>;
  };
}

/** Makes every mutant that Stryker knows of these files, which are given relative to the root. */
export async function instrument(files: readonly string[]): Promise<Instrumented> {
  const { Instrumenter } = await loadInstrumenter();
  const sources = files.map((file) => {
    const name = path.join(root, file);
    return { name, mutate: true as const, content: readFileSync(name, 'utf8') };
  });
  const { files: texts, mutants } = await new Instrumenter(silentLog).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return { texts: new Map(texts.map(({ name, content }) => [name, content])), mutants };
}

/** Hands instrumented texts to the tests; the tree stays as it is. */
export function instrumented(texts: Instrumented['texts']): Plugin {
  return {
    name: 'instrumented',
    enforce: 'pre',
    transform(_, id) {
      const code = texts.get(id.split('?', 1)[0] ?? '');
      return code === undefined ? undefined : { code, map: null };
    },
  };
}

/** Installed outside the checkout, like the clients: only the long tests need it and all that comes with it. */
async function loadInstrumenter(): Promise<InstrumenterModule> {
  const name = '@stryker-mutator/instrumenter';
  const install = await installClient({ name: 'Stryker', packages: [`${name}@10.1.1`] });
  if ('unavailable' in install) throw new Error(install.unavailable);
  const entry = path.join(install.folder, 'node_modules', name, 'dist/src/index.js');
  return import(pathToFileURL(entry).href);
}

const silentLog = Object.fromEntries([
  ...['isTraceEnabled', 'isDebugEnabled', 'isInfoEnabled'].map((name) => [name, () => false]),
  ...['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((name) => [name, () => undefined]),
]);
