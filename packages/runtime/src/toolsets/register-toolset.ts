import path from 'node:path';
import type { Tool, ToolRegistry } from '@quartermaster/agent';
import { registerStateTools } from '@quartermaster/agent/engine';
import { createCodeExecutor } from '@quartermaster/agent/services';
import type { Host } from '@quartermaster/agent/services';
import { findSkills, registerSkillTools } from '@quartermaster/agent/skills';
import type { NamedToolset } from '../agent-file/agent-file.ts';
import { runtimeBackendName } from '../agents/toolbox.ts';
import { RuntimeError } from '../runtime-error.ts';
import { registerFilesystemTools } from './filesystem/filesystem.ts';
import { registerKnowledgeTools } from './knowledge.ts';
import { registerShellTools } from './shell.ts';
import {
  registerCodeTools,
  registerFetchTools,
  registerMemoryTools,
  registerThinkTools,
} from './small-tools.ts';

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

/**
 * Issues the tools of a toolset, once for a registry. Rejects with `RUNTIME_AGENT_FILE` where `tools` names one that it
 * has not, and with what the folders of its skills refuse.
 */
export async function registerToolset(
  registry: ToolRegistry,
  { name, config }: OwnToolset,
  surroundings: ToolsetSurroundings,
): Promise<readonly Tool[]> {
  const tools = await registerAll(registry, config, surroundings);
  if (config.tools === undefined) return tools;
  const wanted = new Set(config.tools);
  const chosen = tools.filter((tool) => wanted.delete(tool.name));
  if (wanted.size === 0) return chosen;
  throw new RuntimeError(
    'RUNTIME_AGENT_FILE',
    `toolset ${name}: expected tools that it has, came ${[...wanted].join(', ')}. ` +
      `It has ${tools.map((tool) => tool.name).join(', ')}.`,
  );
}

async function registerAll(
  registry: ToolRegistry,
  config: OwnToolset['config'],
  { workspace, base, host, fetch, warn }: ToolsetSurroundings,
): Promise<readonly Tool[]> {
  switch (config.type) {
    case 'filesystem': {
      const root = path.resolve(workspace, config.root);
      return registerFilesystemTools(registry, { workspace, root, readOnly: config.readOnly });
    }
    case 'shell':
      return registerShellTools(registry, { host, folder: workspace });
    case 'fetch':
      return registerFetchTools(registry, fetch);
    case 'think':
      return registerThinkTools(registry);
    case 'plan':
      return registerStateTools(registry, {
        backend: runtimeBackendName,
        requires: 'taskStore',
        state: ({ service }) => service('taskStore'),
      });
    case 'memory':
      return registerMemoryTools(registry);
    case 'knowledge':
      return registerKnowledgeTools(registry);
    case 'code':
      return registerCodeTools(registry);
    case 'skills': {
      const { skills, problems } = await findSkills(
        config.folders.map((folder) => path.resolve(base, folder)),
      );
      for (const { folder, problem } of problems) warn(`${folder}: ${problem}`);
      return registerSkillTools(registry, { skills, codeExecutor: createCodeExecutor({ host }) });
    }
  }
}
