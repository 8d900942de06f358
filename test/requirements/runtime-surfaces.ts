import type { RequirementPage } from './requirement.ts';

const mcpTests = 'packages/runtime/test/mcp';

/** The rules of the page `runtime-surfaces`. */
export const runtimeSurfaces: RequirementPage = {
  page: 'runtime-surfaces',
  requirements: [
    { id: 'RP1', open: 'AG-2: providers' },
    { id: 'RP2', open: 'AG-2: providers' },
    { id: 'RP3', open: 'AG-2: providers' },
    { id: 'RT1', open: 'AG-2: tools' },
    {
      id: 'RT2',
      shownBy: [
        { file: `${mcpTests}/servers.test.ts`, test: 'RT2: a program that speaks %s' },
        { file: `${mcpTests}/servers.test.ts`, test: 'RT2: %s: a tool that comes in mid-session' },
        { file: `${mcpTests}/http.test.ts`, test: 'RT2: a server of %s' },
        { file: `${mcpTests}/login.test.ts`, test: 'RT2: after a login with PKCE' },
        { file: `${mcpTests}/failures.test.ts`, test: 'RT2: restarts wait twice as long each time' },
        { file: `${mcpTests}/team.test.ts`, test: 'RT2: a server that comes up late in a session' },
        { file: `${mcpTests}/team.test.ts`, test: 'RT2: a tool that comes in the middle of a turn' },
        { file: 'test/clients/mcp-everything.clients.ts', test: 'RT2: the reference server comes up late' },
      ],
    },
    { id: 'RT3', open: 'not filed yet: skills' },
    { id: 'RT4', open: 'AG-2: tools' },
    { id: 'RL1', open: 'AG-2: the loop' },
    { id: 'RL2', open: 'AG-2: the loop' },
    { id: 'RL3', open: 'AG-3: compaction resets the deferral state' },
    { id: 'RL4', open: 'AG-2: the loop' },
    { id: 'RL5', open: 'AG-2: the loop' },
    { id: 'RL6', open: 'AG-2: the loop' },
    { id: 'RS1', open: 'AG-2: sessions' },
    { id: 'RS2', open: 'AG-2: sessions' },
    { id: 'RS3', open: 'AG-2: sessions' },
    { id: 'RS4', open: 'AG-2: sessions' },
    { id: 'RS5', open: 'AG-2: sessions' },
    { id: 'runtime-surfaces:qm agent FILE ["prompt"]', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve chat', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve api', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve mcp', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve a2a', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve acp', open: 'not filed yet: surfaces' },
  ],
};
