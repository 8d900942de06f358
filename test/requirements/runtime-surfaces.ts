import type { RequirementPage } from './requirement.ts';

const files = 'packages/store/test/sqlite-open.test.ts';
const migrations = 'packages/store/test/migrations.test.ts';
const sessions = 'packages/store/test/sqlite-sessions.test.ts';
const tables = 'packages/store/test/session-tables.test.ts';
const providerTests = 'packages/providers/test';
const bodyTests = `${providerTests}/bodies.property.test.ts`;
const callTests = `${providerTests}/calls.test.ts`;
const conversationTests = `${providerTests}/conversations.test.ts`;
const creationTests = `${providerTests}/create-language-model.test.ts`;
const fallbackTests = `${providerTests}/fallback.test.ts`;
const switchingTests = `${providerTests}/switching.property.test.ts`;

const runtimeTests = 'packages/runtime/test';
const loopTests = `${runtimeTests}/loop.test.ts`;
const cancelRuntimeTests = `${runtimeTests}/cancel.test.ts`;
const compactionTests = `${runtimeTests}/compaction.test.ts`;
const runtimeSessionTests = `${runtimeTests}/sessions.test.ts`;
const mcpTests = 'packages/runtime/test/mcp';

/** The rules of the page `runtime-surfaces`. */
export const runtimeSurfaces: RequirementPage = {
  page: 'runtime-surfaces',
  requirements: [
    {
      id: 'RP1',
      shownBy: [
        { file: conversationTests, test: 'RP1: plain, thoughts, calls in parallel' },
        { file: bodyTests, test: 'RP1: the provider takes every valid conversation' },
        { file: creationTests, test: 'RP1: a model of %s is spoken to' },
        { file: creationTests, test: 'RP1: any other provider is spoken to by Chat Completions' },
        { file: conversationTests, test: 'RP1: every model that there is takes every wish' },
      ],
    },
    {
      id: 'RP2',
      shownBy: [
        { file: callTests, test: 'RP2: an answer is its words' },
        { file: conversationTests, test: 'RP2: what the answers cost' },
        { file: conversationTests, test: 'RP2: what %s serves on other terms' },
        { file: callTests, test: 'RP2: $status is $code' },
        { file: callTests, test: 'R1: a call that failed before its first event' },
        { file: callTests, test: 'R1: once an event was given %s' },
        { file: callTests, test: 'RP2: silence fails the call' },
      ],
    },
    {
      id: 'RP3',
      shownBy: [
        { file: fallbackTests, test: 'RP3: from $from to $to and back' },
        { file: fallbackTests, test: 'RP3: after %s another model is asked' },
        { file: conversationTests, test: 'RP3: each request begins with the one before it' },
        { file: bodyTests, test: 'RP3: nothing that another vendor gave' },
        { file: switchingTests, test: 'RP3: whichever model answers which turn' },
      ],
    },
    {
      id: 'RT1',
      open: 'not filed yet: asking the user, background agents and jobs as tools; a sandbox around the shell',
    },
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
        {
          file: 'test/clients/mcp-everything.clients.ts',
          test: 'RT2, D10, D12: the reference server comes up late',
        },
      ],
    },
    {
      id: 'RT3',
      shownBy: [
        { file: 'packages/runtime/test/skills.test.ts', test: 'RT3: an agent is told of its skills' },
        { file: 'packages/runtime/test/skills.test.ts', test: 'RT3: agents with skills of their own' },
        { file: 'packages/agent/test/call-tool.test.ts', test: 'a tool of the AI SDK is registered' },
        { file: 'packages/agent/test/call-tool.test.ts', test: 'a schema is asked for JSON Schema' },
      ],
    },
    {
      id: 'RT4',
      shownBy: [
        { file: loopTests, test: 'RT4: an input is checked' },
        { file: loopTests, test: 'RT4: a long result is cut' },
        { file: loopTests, test: 'RT4: a tool gets its call' },
      ],
    },
    {
      id: 'RL1',
      shownBy: [
        { file: loopTests, test: 'RL1: a turn shows what happens' },
        { file: loopTests, test: 'RL1: usage is told for each answer' },
      ],
    },
    {
      id: 'RL2',
      shownBy: [{ file: loopTests, test: 'RL2: calls of one answer start together' }],
    },
    {
      id: 'RL3',
      shownBy: [
        { file: compactionTests, test: 'RL3: a conversation that fills 0.9' },
        { file: compactionTests, test: 'RL3: after an overflow' },
        { file: compactionTests, test: 'RL3: by command' },
        { file: 'packages/runtime/test/deferral.test.ts', test: 'DP3: a compaction begins anew' },
        { file: compactionTests, test: 'RL3: the kept part begins with a whole step' },
      ],
    },
    {
      id: 'RL4',
      shownBy: [
        { file: loopTests, test: 'RL4: the fifth identical call' },
        { file: loopTests, test: 'RL4: another call in between' },
        { file: loopTests, test: 'RL4: a model that repeats itself' },
      ],
    },
    {
      id: 'RL5',
      shownBy: [
        { file: loopTests, test: 'RL5: what is said while a turn runs' },
        {
          file: 'packages/agent/test/turns/steering.test.ts',
          test: 'RL5: what is said enters the running turn',
        },
      ],
    },
    {
      id: 'RL6',
      shownBy: [
        { file: cancelRuntimeTests, test: 'L8, RL6, case 69' },
        { file: cancelRuntimeTests, test: 'RL6: what the model had said' },
      ],
    },
    {
      id: 'RS1',
      shownBy: [
        { file: runtimeSessionTests, test: 'RS1: items are appended' },
        { file: tables, test: 'RS1: no statement changes an item' },
        { file: sessions, test: 'L1, RS1: turns of three processes never interleave' },
        { file: sessions, test: 'RS1: after each of five kills' },
        { file: migrations, test: 'RS1: migrations are applied in order' },
        { file: migrations, test: 'RS1: a migration that fails half-way leaves nothing' },
      ],
    },
    {
      id: 'RS2',
      shownBy: [
        { file: files, test: 'RS2: of a later version is refused' },
        { file: files, test: 'RS2: that is no database is refused' },
        { file: files, test: 'RS2: with a damaged schema is refused and never replaced' },
        { file: files, test: 'RS2: that is missing beside a log with content is refused' },
      ],
    },
    {
      id: 'RS3',
      shownBy: [
        { file: runtimeSessionTests, test: 'RS3: a clone has all of it' },
        { file: runtimeSessionTests, test: 'RS3: a branch has what stands' },
        { file: runtimeSessionTests, test: 'RS3: a session that is deleted' },
        { file: runtimeSessionTests, test: 'RS3: an export as JSON' },
        { file: runtimeSessionTests, test: 'RS3: an export as HTML' },
      ],
    },
    {
      id: 'RS4',
      shownBy: [
        { file: runtimeSessionTests, test: 'RS4: a request that comes twice' },
        { file: sessions, test: 'RS4: a request that two processes send' },
        { file: 'packages/store/test/session-model.test.ts', test: 'L1, RS1, RS4: whatever turns do' },
      ],
    },
    {
      id: 'RS5',
      shownBy: [
        { file: tables, test: 'RS5: whatever is done to one session' },
        { file: runtimeSessionTests, test: 'RS5: another user' },
      ],
    },
    { id: 'runtime-surfaces:qm agent FILE ["prompt"]', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve chat', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve api', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve mcp', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve a2a', open: 'not filed yet: surfaces' },
    { id: 'runtime-surfaces:qm serve acp', open: 'not filed yet: surfaces' },
  ],
};
