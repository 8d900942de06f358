import path from 'node:path';
import type { Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';
import { registerStateTools } from '@quartermaster/agent/engine';
import type { StateVariant } from '@quartermaster/agent/engine';
import { createCodeExecutor } from '@quartermaster/agent/services';
import type { Host } from '@quartermaster/agent/services';
import { findSkills, listSkills, registerSkillTools } from '@quartermaster/agent/skills';
import type { NamedToolset } from '../agent-file/agent-file.ts';
import { runtimeBackendName } from '../agents/toolbox.ts';
import { RuntimeError } from '../runtime-error.ts';
import { filesystemTools } from './filesystem/filesystem.ts';
import { knowledgeTools } from './knowledge.ts';
import { shellTools } from './shell.ts';
import { codeTools, fetchTools, memoryTools, thinkTools } from './small-tools.ts';
import { createToolIssuer } from './tool-issuer.ts';

/** A toolset whose tools are there from the start; those of a server come when it is ready. */
export interface OwnToolset {
  readonly name: string;
  readonly config: Exclude<NamedToolset['config'], { readonly type: 'mcp' }>;
}

/** The place where toolsets work. */
export interface ToolsetSurroundings {
  /** Absolute: relative paths of tools start here, as in the permission check. */
  readonly workspace: string;
  /** Absolute: the folder of the agent file, where relative folders of skills start. */
  readonly base: string;
  readonly host: Host;
  readonly fetch: typeof globalThis.fetch;
  /** Told what was left out, for people. */
  readonly warn: (message: string) => void;
}

/** A toolset whose tools were issued. */
export interface RegisteredToolset {
  readonly tools: readonly Tool[];
  /** What an agent with it is told behind its instruction. */
  readonly note?: string;
}

/** Issues the tools of toolsets. */
export type RegisterToolset = (toolset: OwnToolset) => Promise<RegisteredToolset>;

/**
 * Registers toolsets with one registry, several of one type too. It rejects with `RUNTIME_AGENT_FILE` where `tools` names
 * one that the toolset has not.
 */
export function createToolsetRegistrar(
  registry: ToolRegistry,
  surroundings: ToolsetSurroundings,
): RegisterToolset {
  const issueOne = createToolIssuer(registry);
  const issue = (definitions: readonly ToolDefinition[]): readonly Tool[] => definitions.map(issueOne);
  let planTools: readonly Tool[] | undefined;

  function registerAll(config: Exclude<OwnToolset['config'], SkillsConfig>): readonly Tool[] {
    const { workspace, host, fetch } = surroundings;
    switch (config.type) {
      case 'filesystem': {
        const root = path.resolve(workspace, config.root);
        return issue(filesystemTools({ workspace, root, readOnly: config.readOnly }));
      }
      case 'shell':
        return issue(shellTools({ host, folder: workspace }));
      case 'fetch':
        return issue(fetchTools(fetch));
      case 'think':
        return issue(thinkTools());
      case 'memory':
        return issue(memoryTools());
      case 'knowledge':
        return issue(knowledgeTools());
      case 'code':
        return issue(codeTools());
      case 'plan':
        planTools ??= registerStateTools(registry, planVariant);
        return planTools;
    }
  }
  async function registerSkills(name: string, { folders, tools }: SkillsConfig): Promise<RegisteredToolset> {
    const { base, host, warn } = surroundings;
    const { skills, problems } = await findSkills(folders.map((folder) => path.resolve(base, folder)));
    for (const { folder, problem } of problems) warn(`${folder}: ${problem}`);
    if (skills.length === 0) warn(`toolset ${name}: no folder with a SKILL.md in ${folders.join(', ')}`);
    const codeExecutor = createCodeExecutor({ host });
    const issued = registerSkillTools({ register: issueOne }, { skills, codeExecutor });
    const chosen = chooseTools(issued, name, tools);
    return skills.length === 0 ? { tools: chosen } : { tools: chosen, note: noteOf(skills) };
  }

  return async ({ name, config }) =>
    config.type === 'skills'
      ? await registerSkills(name, config)
      : { tools: chooseTools(registerAll(config), name, config.tools) };
}

type SkillsConfig = Extract<OwnToolset['config'], { readonly type: 'skills' }>;

/** A model can't know otherwise what there is to load (K1). */
function noteOf(skills: Parameters<typeof listSkills>[0]): string {
  return `Skills, and when to use each. Read the instructions of one with load_skill before you do what it is for:\n${listSkills(skills)}`;
}

const planVariant: StateVariant = {
  backend: runtimeBackendName,
  requires: 'taskStore',
  state: (context) => context.service('taskStore'),
};

/** Those that were asked for; all where nobody chose. */
function chooseTools(
  tools: readonly Tool[],
  toolset: string,
  names: readonly string[] | undefined,
): readonly Tool[] {
  if (names === undefined) return tools;
  const wanted = new Set(names);
  const chosen = tools.filter((tool) => wanted.delete(tool.name));
  if (wanted.size === 0) return chosen;
  throw new RuntimeError(
    'RUNTIME_AGENT_FILE',
    `toolset ${toolset}: expected tools that it has, came ${[...wanted].join(', ')}. ` +
      `It has ${tools.map((tool) => tool.name).join(', ')}.`,
  );
}
