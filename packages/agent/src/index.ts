// What an application needs. A backend finds the rest in engine.ts.
export { AgentError, agentErrors } from './agent-error.ts';
export type { AgentErrorCode, AgentErrorTraits } from './agent-error.ts';
export type { AgentConfig } from './graph/agent-config.ts';
export { AgentGraphError } from './graph/agent-graph-error.ts';
export { validateAgentGraph } from './graph/validate-agent-graph.ts';
export type { AgentGraph } from './graph/validate-agent-graph.ts';
export type { SessionRef } from './session-ref.ts';
export { declareTool, registerTool } from './tools/register-tool.ts';
export { AmbiguousToolError, DuplicateToolError, UndeclaredVariantError } from './tools/tool-errors.ts';
export { createToolRegistry } from './tools/tool-registry.ts';
export type { ToolRegistry } from './tools/tool-registry.ts';
export type { Capabilities, Tool, ToolContext, ToolDefinition, ToolGate } from './tools/tool.ts';
export type { TurnResult, TurnStatus } from './turns/turn-result.ts';
export type { WorkflowState } from './turns/workflow-controller.ts';
