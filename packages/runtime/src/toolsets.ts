// The tools that the runtime brings.
export { createPublicFetch, isPublic } from './toolsets/public-fetch.ts';
export type { PublicFetch } from './toolsets/public-fetch.ts';
export { createToolsetRegistrar } from './toolsets/register-toolset.ts';
export type { RegisterToolset, ToolsetSurroundings } from './toolsets/register-toolset.ts';
