// The tools that the runtime brings.
export type { McpConfig } from './agent-file/mcp-schema.ts';
export { createMcpToolset } from './toolsets/mcp/mcp-toolset.ts';
export type { McpToolset, McpToolsetOptions } from './toolsets/mcp/mcp-toolset.ts';
export type { McpState } from './toolsets/mcp/server-life.ts';
export type { McpTiming } from './toolsets/mcp/timing.ts';
export { formatMcpStatus } from './toolsets/mcp/status.ts';
export type { McpStatus } from './toolsets/mcp/status.ts';
export { createPublicFetch, isPublic } from './toolsets/public-fetch.ts';
export type { PublicFetch } from './toolsets/public-fetch.ts';
export { registerToolset } from './toolsets/register-toolset.ts';
export type { OwnToolset, ToolsetSurroundings } from './toolsets/register-toolset.ts';
