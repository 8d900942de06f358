export { AgentError, agentErrors } from './agent-error.ts';
export type { AgentErrorCode, AgentErrorTraits } from './agent-error.ts';
export type { SessionRef } from './session-ref.ts';
export type { Capabilities, Tool, ToolContext, ToolDefinition, ToolGate } from './tools/tool.ts';
