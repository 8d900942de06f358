// The tools that the runtime brings.
export { createPublicFetch, isPublic } from './toolsets/public-fetch.ts';
export type { PublicFetch } from './toolsets/public-fetch.ts';
export { registerToolset } from './toolsets/register-toolset.ts';
export type { ToolsetSurroundings } from './toolsets/register-toolset.ts';
