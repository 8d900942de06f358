import type { PermissionRule } from '@quartermaster/agent/permissions';
import type { AgentFileContent } from './schema.ts';
import type { ToolsetConfig } from './toolset-schema.ts';

/** Which tools an agent file asks for, by a name of its own or by their type. */
export interface NamedToolset {
  readonly name: string;
  readonly config: ToolsetConfig;
}

/** One agent as its file describes it. */
export interface FileAgent {
  readonly name: string;
  readonly description?: string;
  readonly instruction: string;
  /** A key of `models` or an id. */
  readonly model?: string;
  readonly fallbackModels: readonly string[];
  /** In the order of the file. */
  readonly toolsets: readonly NamedToolset[];
  readonly subAgents: readonly string[];
  readonly maxIterations: number;
  readonly permissions?: {
    readonly rules: readonly PermissionRule[];
    readonly unmatched: 'inherit' | 'ask' | 'deny';
  };
  readonly structuredOutput?: AgentFileContent['agents'][number]['structuredOutput'];
}

/** A model that the file names; `baseUrl` and `apiKey` are what its variables held. */
export interface FileModel extends Omit<AgentFileContent['models'][string], 'baseUrl' | 'credential'> {
  readonly baseUrl?: URL;
  /** The variable that holds the key; absent: the provider's own setting. */
  readonly credential?: string;
}

/** What an agent file says, read and checked; whether its agents form a tree is the graph's to say (G2). */
export interface AgentFile {
  readonly agents: readonly FileAgent[];
  readonly models: ReadonlyMap<string, FileModel>;
  /** Rules of the project (P4). */
  readonly rules: readonly PermissionRule[];
}
