// `agent.yaml`: agents, their models and their toolsets, as people write them, and the team that they become.
export type { AgentFile, FileAgent, FileModel, NamedToolset } from './agent-file/agent-file.ts';
export { readAgentFile } from './agent-file/read-agent-file.ts';
export { agentFileJsonSchema } from './agent-file/schema.ts';
export type { ToolsetConfig } from './agent-file/toolset-schema.ts';
export { createTeam } from './team/team.ts';
export type { Team, TeamOptions } from './team/team.ts';
