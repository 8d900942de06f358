import type { RequirementPage } from './requirement.ts';

const stateTests = 'packages/deferral/test/tool-deferrals.test.ts';
const sessions = 'packages/store/test/sqlite-sessions.test.ts';
const tables = 'packages/store/test/session-tables.test.ts';

/** The rules of the page `session-deferral`. */
export const sessionDeferral: RequirementPage = {
  page: 'session-deferral',
  requirements: [
    { id: 'D1', shownBy: [{ file: stateTests, test: 'D1: the tools of the first call' }] },
    { id: 'D2', shownBy: [{ file: stateTests, test: 'D2' }] },
    { id: 'D3', shownBy: [{ file: stateTests, test: 'D3: before any success' }] },
    { id: 'D4', shownBy: [{ file: stateTests, test: 'D4' }] },
    { id: 'D5', shownBy: [{ file: stateTests, test: 'D5: a tool that goes and returns' }] },
    { id: 'D6', shownBy: [{ file: stateTests, test: 'D1: the tools of the first call' }] },
    { id: 'D7', open: 'AG-3: session deferral' },
    { id: 'D8', shownBy: [{ file: stateTests, test: 'D1–D6, D8, D10, D12' }] },
    { id: 'D9', open: 'AG-3: session deferral' },
    { id: 'D10', open: 'AG-3: session deferral' },
    { id: 'D11', open: 'AG-3: session deferral' },
    { id: 'D12', shownBy: [{ file: stateTests, test: 'D12: a tool that is gone' }] },
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
