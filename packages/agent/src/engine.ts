// What a backend builds its engine of: the tools that the framework issues, and how tools are chosen and called.
export { registerHandOffTools } from './graph/hand-off-tools.ts';
export type { HandOff } from './graph/hand-off-tools.ts';
export { resolvePrompt } from './graph/prompt.ts';
export { assembleTools } from './tools/assembly.ts';
export type { AssembledTool, ToolAssembly, ToolReference } from './tools/assembly.ts';
export { callTool } from './tools/call-tool.ts';
export type { CallOptions, CallRequest, ToolOutcome } from './tools/call-tool.ts';
export { fromAiSdkTool } from './tools/from-ai-sdk-tool.ts';
export { fromJsonSchema, toJsonSchema } from './tools/from-json-schema.ts';
export type { JsonSchema } from './tools/from-json-schema.ts';
export { createMcpTools } from './tools/mcp-tools.ts';
export type { McpServer, McpTool, McpTools } from './tools/mcp-tools.ts';
export { createQualifiedNames } from './tools/qualified-names.ts';
export type { QualifiedNames, ToolOrigin } from './tools/qualified-names.ts';
export { declareStateTools, registerStateTools } from './tools/state-tools.ts';
export type { StateVariant } from './tools/state-tools.ts';
export type { RegisterOptions, ToolContract } from './tools/tool-registry.ts';
export type { GateAnswer, ToolCall } from './tools/tool.ts';
