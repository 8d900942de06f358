import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** One folder that tools may not leave, whatever a path says or a link leads to. */
export interface RootFolder {
  /** Absolute, links followed. Rejects where the path leads out of the folder. */
  resolve(written: string): Promise<string>;
  /** As a model may write it: from the workspace, with `/`. */
  show(file: string): string;
}

/** Paths are read from `workspace`, as the permission check reads them, and must lie in `root`. Both are absolute. */
export function createRootFolder(workspace: string, root: string): RootFolder {
  return {
    async resolve(written) {
      // The permission check reads it as the home folder: this must not be another file.
      if (written.startsWith('~')) throw new Error('expected a path without ~; write it out.');
      const file = await followLinks(path.resolve(workspace, written));
      const inside = path.relative(await realpath(root), file);
      if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
        const folder = path.relative(workspace, root) || '.';
        throw new Error(`expected a path in the folder ${folder}; "${written}" leads out of it.`);
      }
      return file;
    },
    show: (file) => path.relative(workspace, file).replaceAll(path.sep, '/') || '.',
  };
}

/** The real path of what is there, and of the folders above what is not there yet. */
async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if (!isMissing(error) || parent === file) throw error;
    return path.join(await followLinks(parent), path.basename(file));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
