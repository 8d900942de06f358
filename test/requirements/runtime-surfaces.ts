import type { RequirementPage } from './requirement.ts';

/** The rules of the page `runtime-surfaces`. */
export const runtimeSurfaces: RequirementPage = {
  page: 'runtime-surfaces',
  requirements: [
    { id: 'RP1', open: 'AG-2: providers' },
    { id: 'RP2', open: 'AG-2: providers' },
    { id: 'RP3', open: 'AG-2: providers' },
    { id: 'RT1', open: 'AG-2: tools' },
    { id: 'RT2', open: 'AG-3: MCP' },
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
