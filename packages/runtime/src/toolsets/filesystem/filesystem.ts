import { readdir } from 'node:fs/promises';
import type { ToolDefinition } from '@quartermaster/agent';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { createRootFolder } from './root-folder.ts';
import type { RootFolder } from './root-folder.ts';
import { findFiles, searchFiles } from './search-files.ts';
import { editText, readTextFile, writeTextFile } from './text-file.ts';

/** Which folder, and what may be done in it. */
export interface FilesystemOptions {
  /** Absolute: relative paths start here. */
  readonly workspace: string;
  /** Absolute: nothing outside of it is reached. */
  readonly root: string;
  readonly readOnly: boolean;
}

const path = z.string().describe('From the workspace, or absolute.');
const lines = z.int().min(1).max(5_000);
const most = 200;

/** The tools for files below one folder: reading ones, and, unless it is read-only, writing ones. */
export function filesystemTools({ workspace, root, readOnly }: FilesystemOptions): readonly ToolDefinition[] {
  const folder = createRootFolder(workspace, root);
  return [...readers(folder), ...(readOnly ? [] : writers(folder))];
}

function readers(root: RootFolder): readonly ToolDefinition[] {
  const capabilities = [{ capability: 'filesystem.read', target: { argument: 'path' } }] as const;
  return [
    defineTool({
      name: 'read_file',
      description: 'Read a text file, or some of its lines; each line comes with its number.',
      inputSchema: z.strictObject({ path, from: z.int().min(1).default(1), count: lines.default(2_000) }),
      capabilities,
      async run({ path: written, from, count }) {
        const text = await readTextFile(await root.resolve(written), written);
        return numberLines(text, { from, count });
      },
    }),
    defineTool({
      name: 'list_folder',
      description: 'List what a folder holds; folders end in /.',
      inputSchema: z.strictObject({ path }),
      capabilities,
      async run({ path: written }) {
        const entries = await readdir(await root.resolve(written), { withFileTypes: true });
        const names = entries
          .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
          .toSorted();
        return names.length === 0 ? 'The folder is empty.' : names.join('\n');
      },
    }),
    defineTool({
      name: 'find_files',
      description: 'Find files below a folder by their path, as **/*.ts. Skips .git and node_modules.',
      inputSchema: z.strictObject({ path, glob: z.string(), limit: lines.default(most) }),
      capabilities,
      run: async ({ path: written, glob, limit }, { signal }) =>
        await findFiles(root, { folder: await root.resolve(written), glob, limit }, signal),
    }),
    defineTool({
      name: 'search_files',
      description: 'Find lines in the text files below a folder by a regular expression of RE2.',
      inputSchema: z.strictObject({
        path,
        expression: z.string(),
        glob: z.string().optional().describe('Only files whose path fits, as **/*.md.'),
        limit: lines.default(most),
      }),
      capabilities,
      run: async ({ path: written, expression, glob, limit }, { signal }) =>
        await searchFiles(root, { folder: await root.resolve(written), expression, glob, limit }, signal),
    }),
  ];
}

function writers(root: RootFolder): readonly ToolDefinition[] {
  const capabilities = [{ capability: 'filesystem.write', target: { argument: 'path' } }] as const;
  return [
    defineTool({
      name: 'write_file',
      description: 'Write a text file, in place of what it held; makes the folders above it.',
      inputSchema: z.strictObject({ path, text: z.string() }),
      capabilities,
      async run({ path: written, text }) {
        await writeTextFile(await root.resolve(written), text);
        return `Wrote ${written}.`;
      },
    }),
    defineTool({
      name: 'edit_file',
      description:
        'Replace a text that stands exactly once in a file, or, with all, each time that it stands there.',
      inputSchema: z.strictObject({
        path,
        find: z.string(),
        replacement: z.string(),
        all: z.boolean().default(false),
      }),
      // It tells whether a text stands in the file.
      capabilities: [{ capability: 'filesystem.read', target: { argument: 'path' } }, ...capabilities],
      async run({ path: written, ...edit }) {
        const file = await root.resolve(written);
        await writeTextFile(file, editText(await readTextFile(file, written), edit));
        return `Edited ${written}.`;
      },
    }),
  ];
}

function numberLines(
  text: string,
  { from, count }: { readonly from: number; readonly count: number },
): string {
  const all = text.split('\n');
  const shown = all.slice(from - 1, from - 1 + count).map((line, index) => `${from + index}\t${line}`);
  const rest = all.length - (from - 1) - shown.length;
  return rest > 0 ? `${shown.join('\n')}\n[${rest} more lines]` : shown.join('\n');
}
