// The tools that the runtime brings.
export type { McpConfig } from './agent-file/mcp-schema.ts';
export { createMcpToolset } from './toolsets/mcp/mcp-toolset.ts';
export type { McpToolset, McpToolsetOptions } from './toolsets/mcp/mcp-toolset.ts';
export type { McpState } from './toolsets/mcp/server-life.ts';
export type { McpTiming } from './toolsets/mcp/timing.ts';
export { createFileLoginStore } from './toolsets/mcp/oauth/file-login-store.ts';
export type { FileLoginOptions } from './toolsets/mcp/oauth/file-login-store.ts';
export type { McpLogin, McpLoginKey, McpLoginStore } from './toolsets/mcp/oauth/login-store.ts';
export { loginToMcpServer } from './toolsets/mcp/oauth/login.ts';
export type { McpLoginOptions } from './toolsets/mcp/oauth/login.ts';
export type { McpLogins } from './toolsets/mcp/oauth/open-login.ts';
export { formatMcpStatus } from './toolsets/mcp/status.ts';
export type { McpStatus } from './toolsets/mcp/status.ts';
export { createPublicFetch, isPublic } from './toolsets/public-fetch.ts';
export type { PublicFetch } from './toolsets/public-fetch.ts';
export { createToolsetRegistrar } from './toolsets/register-toolset.ts';
export type {
  OwnToolset,
  RegisteredToolset,
  RegisterToolset,
  ToolsetSurroundings,
} from './toolsets/register-toolset.ts';
