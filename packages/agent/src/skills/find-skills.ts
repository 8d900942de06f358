import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSkillFile } from './skill-file.ts';
import type { Skill } from './skill.ts';

/** What was found in some folders of skills. */
export interface FoundSkills {
  /** In alphabetical order. */
  readonly skills: readonly Skill[];
  /** What was left out and why, for people. */
  readonly problems: readonly { readonly folder: string; readonly problem: string }[];
}

/**
 * The skills in these folders, each in a folder of its own. A folder that is missing holds none; of two skills of one
 * name the first found stays, in the order of `folders`.
 */
export async function findSkills(folders: readonly string[]): Promise<FoundSkills> {
  const candidates = (await Promise.all(folders.map(listFolders))).flat();
  const read = await Promise.all(
    candidates.map(async (folder) => ({ folder, file: await readSkill(folder) })),
  );
  const skills = new Map<string, Skill>();
  const problems: { readonly folder: string; readonly problem: string }[] = [];
  for (const { folder, file } of read) {
    if (file === undefined) continue;
    const other = file.type === 'skill' ? skills.get(file.name) : undefined;
    if (file.type === 'problem') problems.push({ folder, problem: file.problem });
    else if (other !== undefined)
      problems.push({ folder, problem: `"${file.name}" is in ${other.folder} already` });
    else skills.set(file.name, { name: file.name, description: file.description, folder });
  }
  return { skills: [...skills.values()].sort((left, right) => (left.name < right.name ? -1 : 1)), problems };
}

/** The text of a skill as it is now: it is read when it is asked for (K1). */
export async function readSkillBody({ folder }: Skill): Promise<string | undefined> {
  const file = await readSkill(folder);
  return file?.type === 'skill' ? file.body.trim() : undefined;
}

async function listFolders(parent: string): Promise<readonly string[]> {
  const entries = await unlessMissing(readdir(parent, { withFileTypes: true }));
  return (entries ?? [])
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(parent, name))
    .sort();
}

async function readSkill(folder: string): Promise<ReturnType<typeof parseSkillFile> | undefined> {
  const text = await unlessMissing(readFile(join(folder, 'SKILL.md'), 'utf8'));
  return text === undefined ? undefined : parseSkillFile(text);
}

async function unlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))) {
      return undefined;
    }
    throw error;
  }
}
