import { lstatSync, readlinkSync } from 'node:fs';

/**
 * What the symbolic link at `path` holds; `undefined` where there is another file or none. Throws what the file system
 * does otherwise: a folder that can't be looked into may hide a link. Synchronous, so that nothing comes between the
 * decision and what it was made on but the call itself.
 */
export function readSymbolicLink(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? readlinkSync(path) : undefined;
}
