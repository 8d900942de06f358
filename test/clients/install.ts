import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { runProgram } from './run-program.ts';

/** A real client, installed outside the repository. */
export interface ClientInstall {
  readonly folder: string;
  /** The path of a program that the packages bring. */
  bin(name: string): string;
}

/** The client cannot be had here; tests of it are skipped with this reason. */
export interface ClientUnavailable {
  readonly unavailable: string;
}

export interface ClientInstallOptions {
  /** For people: stands in the reason when the client cannot be had. */
  readonly name: string;
  /** With exact versions: `@anthropic-ai/claude-code@2.1.332`. */
  readonly packages: readonly string[];
  /** Where installs are kept; `clientCache()` unless a test says otherwise. */
  readonly cache?: string;
  /** After this the client counts as not to be had. Four minutes by default. */
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 240_000;
/** An install that takes longer was killed, and its half-filled folder is free to go. */
const abandonedAfterMs = 3_600_000;

/**
 * Installs a client with npm, or finds it where an earlier run put it.
 *
 * Two test runs may call this at once: each fills a folder of its own, and the first to be whole is the one
 * that both use.
 */
export async function installClient(
  options: ClientInstallOptions,
): Promise<ClientInstall | ClientUnavailable> {
  const cache = options.cache ?? clientCache();
  const key = installKey(options.packages);
  const folder = join(cache, key);
  const install = { folder, bin: (name: string) => join(folder, 'node_modules', '.bin', name) };
  if (await exists(folder)) return install;

  try {
    await mkdir(cache, { recursive: true });
    await removeAbandoned(cache, key);
    const draft = await mkdtemp(join(cache, `.${key}-`));
    const failure = await npmInstall(draft, options);
    if (failure === undefined) await moveInPlace(draft, folder);
    await rm(draft, { recursive: true, force: true });
    if (failure !== undefined) return unavailable(options.name, failure);
  } catch (cause) {
    return unavailable(options.name, cause instanceof Error ? cause.message : String(cause));
  }
  return install;
}

/** `QM_CLIENT_CACHE`, else the user's cache folder. */
export function clientCache(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['QM_CLIENT_CACHE'];
  if (own !== undefined && own !== '') return own;
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'quartermaster', 'clients');
}

/** One file name for a set of packages: `@scope+name@1.2.3`, on the platform whose binaries npm fetches. */
function installKey(packages: readonly string[]): string {
  const names = packages.toSorted().map((name) => name.replaceAll('/', '+'));
  return `${names.join(',')}-${process.platform}-${process.arch}`;
}

/** By default npm goes on for two minutes at a registry that is not there. */
const impatience = ['--fetch-retries=1', '--fetch-retry-mintimeout=2000'];

/** What went wrong, if anything did. */
async function npmInstall(
  folder: string,
  { packages, deadlineMs = defaultDeadlineMs }: ClientInstallOptions,
): Promise<string | undefined> {
  // A package.json of its own keeps npm from looking for a project further up.
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  const outcome = await runProgram(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', ...impatience, ...packages],
    { folder, env: environmentForNpm(process.env), deadlineMs },
  );
  if (outcome.exitCode === 0) return undefined;
  if (outcome.outOfTime) return `npm did not end within ${deadlineMs} ms.`;
  const said = outcome.stderr.split('\n').filter((line) => line.startsWith('npm error'));
  return `npm ended with ${outcome.exitCode ?? 'no exit code'}: ${said.slice(0, 3).join(' ') || outcome.stderr.trim()}`;
}

/** Inside `npm test` npm hands its own project and settings down; those of the install must be its own. */
function environmentForNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = /^npm_(package|lifecycle|command|config_(local_prefix|prefix|workspace))/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !inherited.test(name)));
}

/** Renames a whole install to its final name, unless another run was first. */
async function moveInPlace(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (cause) {
    if (!(await exists(folder))) throw cause;
  }
}

async function removeAbandoned(cache: string, key: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(`.${key}-`)) continue;
    const draft = join(cache, name);
    // One that is gone by now was another run's, and has become the install.
    const found = await stat(draft).catch(() => undefined);
    if (found === undefined || Date.now() - found.mtimeMs < abandonedAfterMs) continue;
    await rm(draft, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Says so at once: a client that silently drops out of the tests looks like one that passes them. */
function unavailable(name: string, reason: string): ClientUnavailable {
  process.stderr.write(`${name} is not available here, its tests are skipped. ${reason}\n`);
  return { unavailable: reason };
}
