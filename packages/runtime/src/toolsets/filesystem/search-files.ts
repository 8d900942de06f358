import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { RE2JS } from 're2js';
import type { RootFolder } from './root-folder.ts';
import { decode, maxFileBytes } from './text-file.ts';
import { walk } from './walk.ts';

/** What to look for, and where. */
export interface FileSearch {
  /** An RE2 expression: matched in linear time, whatever a model writes. */
  readonly expression: string;
  readonly folder: string;
  /** Of the path from `folder`; any file without it. */
  readonly glob: string | undefined;
  readonly limit: number;
}

const maxLineLength = 400;

/** The lines that match, as `file:line: text`, in the order of the files' names; the last line tells of a cut. */
export async function searchFiles(
  root: RootFolder,
  { expression, folder, glob, limit }: FileSearch,
  signal: AbortSignal,
): Promise<string> {
  const pattern = compile(expression);
  const found: string[] = [];
  for await (const file of walk(folder, signal)) {
    if (holdsSecrets(file) || (glob !== undefined && !path.matchesGlob(path.relative(folder, file), glob)))
      continue;
    for (const [index, line] of (await linesOf(file)).entries()) {
      if (!pattern.matcher(line).find()) continue;
      if (found.length === limit) return [...found, `[cut at ${limit} lines]`].join('\n');
      found.push(`${root.show(file)}:${index + 1}: ${line.slice(0, maxLineLength)}`);
    }
  }
  return found.length === 0 ? 'No line matches.' : found.join('\n');
}

/** The files whose path fits, by name; the last line tells of a cut. */
export async function findFiles(
  root: RootFolder,
  { folder, glob, limit }: Pick<FileSearch, 'folder' | 'limit'> & { readonly glob: string },
  signal: AbortSignal,
): Promise<string> {
  const found: string[] = [];
  for await (const file of walk(folder, signal)) {
    if (!path.matchesGlob(path.relative(folder, file), glob)) continue;
    if (found.length === limit) return [...found, `[cut at ${limit} files]`].join('\n');
    found.push(root.show(file));
  }
  return found.length === 0 ? 'No file fits.' : found.join('\n');
}

/** A search through everything must not stumble over keys; who wants such a file reads it by its name. */
function holdsSecrets(file: string): boolean {
  return path.basename(file).startsWith('.env');
}

function compile(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`expected a regular expression that RE2 takes: ${message}`, { cause });
  }
}

/** None of a file that is no text, is too large, or went away while others were read. */
async function linesOf(file: string): Promise<readonly string[]> {
  try {
    if ((await stat(file)).size > maxFileBytes) return [];
    await using handle = await open(file);
    return decode(await handle.readFile())?.split('\n') ?? [];
  } catch {
    return [];
  }
}
