import { parse } from 'yaml';

/** A `SKILL.md`, taken apart. */
export type SkillFile =
  | {
      readonly type: 'skill';
      readonly name: string;
      readonly description: string;
      /** What stands behind the front matter. */
      readonly body: string;
    }
  | { readonly type: 'problem'; readonly problem: string };

/** Reads the front matter and finds the body. Other keys of the front matter are other programs' business. */
export function parseSkillFile(text: string): SkillFile {
  const [, matter, body = ''] =
    /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (matter === undefined) return problem('expected front matter between two lines of ---');
  const { name, description } = parseMatter(matter);
  if (typeof name !== 'string' || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    return problem('expected a name of up to 64 lower-case letters, digits and single hyphens');
  }
  if (typeof description !== 'string' || description.trim() === '') return problem('expected a description');
  return { type: 'skill', name, description: description.trim().replaceAll(/\s+/g, ' '), body };
}

function parseMatter(matter: string): { readonly name?: unknown; readonly description?: unknown } {
  try {
    const value: unknown = parse(matter);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function problem(text: string): SkillFile {
  return { type: 'problem', problem: text };
}
