import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Larger files are for programs, not for a model. */
export const maxFileBytes = 4 * 1024 * 1024;

/** A file's text. Rejects for what is no UTF-8 text or too large. */
export async function readTextFile(file: string, shown: string): Promise<string> {
  const { size } = await stat(file);
  if (size > maxFileBytes) {
    throw new Error(`expected at most ${maxFileBytes} bytes in ${shown}; it has ${size}. Search it instead.`);
  }
  const text = decode(await readFile(file));
  if (text === undefined) throw new Error(`expected a text in ${shown}; it holds other bytes.`);
  return text;
}

/** `undefined` for what is no text: other bytes than UTF-8, or a zero among them. */
export function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Replaces a file whole or not at all, and keeps its mode; makes the folders above a new one. */
export async function writeTextFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const mode = await stat(file).then(
    (stats) => stats.mode,
    () => undefined,
  );
  const beside = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(beside, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Puts `replacement` in the place of the one `find`, or of all of them. Throws unless the text is as it was meant. */
export function editText(
  text: string,
  { find, replacement, all }: { readonly find: string; readonly replacement: string; readonly all: boolean },
): string {
  if (find === '') throw new Error('expected a text to find; it is empty.');
  const count = text.split(find).length - 1;
  if (count === 0)
    throw new Error('expected the text to find in the file; it is not there. Read the file again.');
  if (count > 1 && !all) {
    throw new Error(
      `expected the text to find once; it stands there ${count} times. Give more of it, or set all.`,
    );
  }
  return text.replaceAll(find, () => replacement);
}
