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
    if (file.type === 'problem') {
      problems.push({ folder, problem: file.problem });
      continue;
    }
    const { name, description } = file;
    const other = skills.get(name);
    if (other === undefined) skills.set(name, { name, description, folder });
    else problems.push({ folder, problem: `"${name}" is in ${other.folder} already` });
  }
  return { skills: [...skills.values()].sort((left, right) => (left.name < right.name ? -1 : 1)), problems };
}

/** The text of a skill as it is now: it is read when it is asked for (K1). */
export async function readSkillBody({ folder }: Skill): Promise<string | undefined> {
  const file = await readSkill(folder);
  return file?.type === 'skill' ? file.body.trim() : undefined;
}

/** Everything in a folder: what is no folder itself holds no `SKILL.md`. */
async function listFolders(parent: string): Promise<readonly string[]> {
  const names = await unlessMissing(readdir(parent));
  return (names ?? []).map((name) => join(parent, name)).sort();
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
