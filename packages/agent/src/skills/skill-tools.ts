import { readFile, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AgentError } from '../agent-error.ts';
import type { CodeExecutor, CodeLanguage } from '../services/code-executor.ts';
import { readText, readTexts, textsSchema } from '../tools/text-input.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Tool, ToolDefinition } from '../tools/tool.ts';
import { readSkillBody } from './find-skills.ts';
import type { Skill } from './skill.ts';

/** What the tools of skills are made of. */
export interface SkillToolOptions {
  readonly skills: readonly Skill[];
  /** With it there is `run_skill_script`, without it there is not; no switch says otherwise (K2). */
  readonly codeExecutor?: CodeExecutor;
}

/** Issues the tools by which a model loads a skill, reads its files and, with a code executor, runs its scripts. */
export function registerSkillTools(
  registry: Pick<ToolRegistry, 'register'>,
  options: SkillToolOptions,
): readonly Tool[] {
  const { skills, codeExecutor } = options;
  const definitions = [
    loadSkill(skills),
    readSkillFile(skills),
    ...(codeExecutor === undefined ? [] : [runSkillScript(skills, codeExecutor)]),
  ];
  return definitions.map((definition) => registry.register(definition));
}

function loadSkill(skills: readonly Skill[]): ToolDefinition {
  return {
    name: 'load_skill',
    description: 'Read the instructions of a skill before you do what it is for.',
    inputSchema: textsSchema(['skill']),
    capabilities: 'exempt',
    async run(input) {
      const skill = requireSkill(skills, readText(input, 'skill'));
      const [instructions, files] = await Promise.all([readSkillBody(skill), listFiles(skill.folder)]);
      if (instructions === undefined)
        throw failed(`the instructions of "${skill.name}"`, 'they can not be read any more');
      return { instructions, files };
    },
  };
}

function readSkillFile(skills: readonly Skill[]): ToolDefinition {
  return {
    name: 'read_skill_file',
    description: 'Read a file of a skill, by a name that load_skill listed.',
    inputSchema: textsSchema(['skill', 'file']),
    capabilities: 'exempt',
    async run(input) {
      const skill = requireSkill(skills, readText(input, 'skill'));
      return { text: await readFile(await requireInside(skill, readText(input, 'file')), 'utf8') };
    },
  };
}

function runSkillScript(skills: readonly Skill[], codeExecutor: CodeExecutor): ToolDefinition {
  return {
    name: 'run_skill_script',
    description: 'Run a script of a skill, as its instructions say.',
    inputSchema: textsSchema(['skill', 'script'], 'arguments'),
    capabilities: [{ capability: 'skill.run', target: { argument: 'skill' } }],
    async run(input, { signal }) {
      const skill = requireSkill(skills, readText(input, 'skill'));
      const file = await requireInside(skill, readText(input, 'script'));
      return await codeExecutor.run({
        language: languageOf(file),
        source: { file },
        arguments: readTexts(input, 'arguments'),
        folder: skill.folder,
        signal,
      });
    },
  };
}

function requireSkill(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((one) => one.name === name);
  if (skill !== undefined) return skill;
  throw failed(`a skill among ${skills.map((one) => one.name).join(', ') || 'none'}`, `got "${name}"`);
}

/** The real path of a file of the skill; neither `..` nor a link leads out of its folder. */
async function requireInside({ name, folder }: Skill, file: string): Promise<string> {
  const root = await realpath(folder);
  const path = await realpath(join(root, file)).catch(() => undefined);
  if (path?.startsWith(root + sep) === true) return path;
  throw failed(`a file of the skill "${name}"`, `it has no "${file}"`);
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'SKILL.md')
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort();
}

const languages: Readonly<Record<string, CodeLanguage>> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  sh: 'shell',
};

function languageOf(file: string): CodeLanguage {
  const language = languages[/\.(\w+)$/.exec(file)?.[1] ?? ''];
  if (language !== undefined) return language;
  throw failed(`a script that ends in ${Object.keys(languages).join(', ')}`, 'it ends otherwise');
}

function failed(expected: string, came: string): AgentError {
  return new AgentError('SERVICE_FAILED', `Expected ${expected}; ${came}.`);
}
