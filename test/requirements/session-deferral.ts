import type { RequirementPage } from './requirement.ts';

const sessions = 'packages/store/test/sqlite-sessions.test.ts';
const tables = 'packages/store/test/session-tables.test.ts';

/** The rules of the page `session-deferral`. */
export const sessionDeferral: RequirementPage = {
  page: 'session-deferral',
  requirements: [
    { id: 'D1', open: 'AG-3: session deferral' },
    { id: 'D2', open: 'AG-3: session deferral' },
    { id: 'D3', open: 'AG-3: session deferral' },
    { id: 'D4', open: 'AG-3: session deferral' },
    { id: 'D5', open: 'AG-3: session deferral' },
    { id: 'D6', open: 'AG-3: session deferral' },
    { id: 'D7', open: 'AG-3: session deferral' },
    { id: 'D8', open: 'AG-3: session deferral' },
    { id: 'D9', open: 'AG-3: session deferral' },
    { id: 'D10', open: 'AG-3: session deferral' },
    { id: 'D11', open: 'AG-3: session deferral' },
    { id: 'D12', open: 'AG-3: session deferral' },
    {
      id: 'DP1',
      shownBy: [
        { file: tables, test: 'DP1: a session of before there was a deferral state' },
        { file: sessions, test: 'DP1, DP4: a state that was set aside is kept' },
      ],
    },
    { id: 'DP2', open: 'AG-3: session deferral' },
    { id: 'DP3', open: 'AG-3: session deferral' },
    { id: 'DP4', open: 'AG-3: session deferral' },
    {
      id: 'session-deferral:turn, new runtime, pooled runtime, process restart, reload from disk',
      open: 'AG-3: session deferral',
    },
    {
      id: 'session-deferral:native compaction (history replaced by a summary)',
      open: 'AG-3: session deferral',
    },
    { id: 'session-deferral:clone', open: 'AG-3: session deferral' },
    { id: 'session-deferral:branch / fork', open: 'AG-3: session deferral' },
    { id: 'session-deferral:sub-session (delegated agent)', open: 'AG-3: session deferral' },
    { id: 'session-deferral:end of a run (a hook per user turn)', open: 'AG-3: session deferral' },
    { id: 'session-deferral:session deleted or purged', open: 'AG-3: session deferral' },
    { id: 'session-deferral:serve chat', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve api', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:qm agent (terminal and --exec)', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve acp', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve mcp, serve a2a', open: 'not filed yet: surfaces' },
  ],
};
