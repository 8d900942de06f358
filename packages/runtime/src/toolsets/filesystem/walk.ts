import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** What is large, made by programs, and hardly ever meant. */
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules', '.hg', '.svn']);

/** The files below a folder by name, without following links. Contract: ends when `signal` is aborted, by throwing. */
export async function* walk(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    signal.throwIfAborted();
    const file = path.join(folder, entry.name);
    if (entry.isFile()) yield file;
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* walk(file, signal);
  }
}
