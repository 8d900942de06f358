// `agent.yaml`: agents, their models and their toolsets, as people write them.
export type { AgentFile, FileAgent, FileModel, NamedToolset } from './agent-file/agent-file.ts';
export { readAgentFile } from './agent-file/read-agent-file.ts';
export { agentFileJsonSchema } from './agent-file/schema.ts';
export type { ToolsetConfig } from './agent-file/toolset-schema.ts';
