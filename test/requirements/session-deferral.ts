import type { RequirementPage } from './requirement.ts';

const declareTests = 'packages/runtime/test/declare-tools.test.ts';
const wireTests = 'packages/providers/test/late-tools.test.ts';
const sessionTests = 'packages/runtime/test/deferral.test.ts';
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
    { id: 'D7', shownBy: [{ file: sessionTests, test: 'D7' }] },
    { id: 'D8', shownBy: [{ file: stateTests, test: 'D1–D6, D8, D10, D12' }] },
    {
      id: 'D9',
      shownBy: [
        { file: declareTests, test: 'D9: the last success' },
        { file: sessionTests, test: 'D9' },
      ],
    },
    {
      id: 'D10',
      shownBy: [
        { file: stateTests, test: 'D10: where the last success' },
        { file: wireTests, test: 'D10' },
        { file: declareTests, test: 'D10' },
        { file: sessionTests, test: 'D10: a tool that came while' },
      ],
    },
    { id: 'D11', shownBy: [{ file: wireTests, test: 'D11' }] },
    { id: 'D12', shownBy: [{ file: stateTests, test: 'D12: a tool that is gone' }] },
    {
      id: 'DP1',
      shownBy: [
        { file: tables, test: 'DP1: a session of before there was a deferral state' },
        { file: sessions, test: 'DP1, DP4: a state that was set aside is kept' },
      ],
    },
    {
      id: 'DP2',
      shownBy: [
        { file: sessionTests, test: 'DP2' },
        { file: sessionTests, test: 'a sub-session begins' },
      ],
    },
    { id: 'DP3', shownBy: [{ file: sessionTests, test: 'DP3' }] },
    { id: 'DP4', shownBy: [{ file: sessionTests, test: 'DP4' }] },
    {
      id: 'session-deferral:turn, new runtime, pooled runtime, process restart, reload from disk',
      shownBy: [{ file: sessionTests, test: 'after a restart another runtime sends' }],
    },
    {
      id: 'session-deferral:native compaction (history replaced by a summary)',
      shownBy: [{ file: sessionTests, test: 'DP3' }],
    },
    {
      id: 'session-deferral:clone',
      shownBy: [{ file: sessionTests, test: 'after a restart another runtime sends' }],
    },
    {
      id: 'session-deferral:branch / fork',
      shownBy: [
        { file: sessionTests, test: 'a fork behind every place' },
        { file: sessionTests, test: 'one before a place' },
      ],
    },
    {
      id: 'session-deferral:sub-session (delegated agent)',
      shownBy: [{ file: sessionTests, test: 'a sub-session begins' }],
    },
    {
      id: 'session-deferral:end of a run (a hook per user turn)',
      shownBy: [{ file: sessionTests, test: 'DP2' }],
    },
    {
      id: 'session-deferral:session deleted or purged',
      shownBy: [
        { file: 'packages/store/test/session-tables.test.ts', test: 'a deleted session leaves no row' },
      ],
    },
    { id: 'session-deferral:serve chat', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve api', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:qm agent (terminal and --exec)', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve acp', open: 'not filed yet: surfaces' },
    { id: 'session-deferral:serve mcp, serve a2a', open: 'not filed yet: surfaces' },
  ],
};
