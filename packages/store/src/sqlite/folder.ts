import { constants, existsSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../store-error.ts';
import { isFileError } from './file.ts';
import { networkFileSystems } from './file-systems.ts';

/** How a folder's file system is looked up; the answer is Linux's magic number (statfs(2), `f_type`). */
export type FileSystemType = (folder: string) => Promise<number>;

/** Makes the folder of `file` (owner only) where it is missing, and refuses one in which a store would not be safe. */
export async function prepareFolder(file: string, fileSystemType: FileSystemType): Promise<void> {
  const folder = dirname(file);
  await makeFolder(folder);
  await requireAccess(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  if (existsSync(file)) await requireAccess(file, constants.R_OK | constants.W_OK);
  await refuseNetworkFileSystem(folder, fileSystemType);
}

/** Refuses a store that can't be looked at; creates nothing. */
export async function requireFile(file: string, fileSystemType: FileSystemType): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (cause) {
    throw new StoreError(
      'STORE_MISSING',
      `Expected a store that this user can read at ${file}; ${reasonOf(cause)}. ` +
        'Check --store, or start the gateway there once.',
      { cause },
    );
  }
  await refuseNetworkFileSystem(dirname(file), fileSystemType);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (cause) {
    if (isFileError(cause, 'EACCES', 'EROFS', 'EPERM')) throw readOnly(folder, cause);
    throw new StoreError(
      'STORE_BAD_FOLDER',
      `Expected a folder for the store at ${folder}; ${reasonOf(cause)}. Name a folder, or remove what is in its place.`,
      { cause },
    );
  }
}

/** With its parents. Not by `recursive`: where a file system takes no folder, as `/proc`, Node would try for ever. */
async function makeFolders(folder: string): Promise<void> {
  if (existsSync(folder)) return await requireFolder(folder);
  if (!existsSync(dirname(folder))) await makeFolders(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error; // another process was faster
    await requireFolder(folder);
  }
}

async function requireFolder(path: string): Promise<void> {
  if (!(await stat(path)).isDirectory()) throw new Error(`${path} is a file`);
}

/** SQLite falls back to reading where it can't write, and would fail only at the first write. */
async function requireAccess(path: string, mode: number): Promise<void> {
  try {
    await access(path, mode);
  } catch (cause) {
    throw readOnly(path, cause);
  }
}

async function refuseNetworkFileSystem(folder: string, fileSystemType: FileSystemType): Promise<void> {
  const type = (await fileSystemType(folder)) >>> 0; // a 32-bit system gives it signed
  const name = networkFileSystems.get(type);
  if (name === undefined) return;
  throw new StoreError(
    'STORE_NETWORK_FILE_SYSTEM',
    `Expected the store on a disk of this machine; ${folder} is on ${name} (0x${type.toString(16)}), where two ` +
      'writers corrupt SQLite. Choose a local folder, or Postgres for more than one machine.',
  );
}

function readOnly(path: string, cause: unknown): StoreError {
  return new StoreError(
    'STORE_READ_ONLY',
    `Expected a store that this user can write at ${path}; ${reasonOf(cause)}. ` +
      'Change its owner or permissions, or choose another folder.',
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
