import type { RequirementPage } from './requirement.ts';

const accountTests = 'packages/gateway/test/account.test.ts';
const accountCommandTests = 'packages/cli/test/account-commands.test.ts';
const continuationTests = 'packages/gateway/test/continuation.test.ts';
const memoryTests = 'packages/gateway/test/search-memory.test.ts';
const relayTests = 'packages/gateway/test/relay-stream.property.test.ts';
const resolvingTests = 'packages/gateway/test/resolving.test.ts';
const restoreTests = 'packages/gateway/test/search-restore.property.test.ts';
const stripRestoreTests = 'packages/gateway/test/strip-restore.property.test.ts';
const searchTests = 'packages/gateway/test/search-turns.test.ts';
const checkTests = 'packages/gateway/test/check.test.ts';
const clientTests = 'packages/gateway/test/clients.test.ts';
const matrixTests = 'test/clients/matrix.test.ts';
const claudeTests = 'test/clients/claude-code-deferral.test.ts';
const deferralTests = 'packages/gateway/test/deferral.test.ts';
const gatewayCommandTests = 'packages/cli/test/gateway-command.test.ts';
const historyTests = 'packages/gateway/test/history.test.ts';
const presetTests = 'packages/gateway/test/presets.test.ts';
const proxyTests = 'packages/gateway/test/proxy.test.ts';
const rewriteTests = 'packages/gateway/test/rewrite.test.ts';
const steadinessTests = 'packages/gateway/test/steadiness.test.ts';
const storeProcessTests = 'packages/store/test/sqlite-processes.test.ts';
const threadTests = 'packages/gateway/test/threads.test.ts';
const accuracyTests = 'test/accuracy.test.ts';
const answerTests = 'packages/gateway/test/tap.test.ts';
const configTests = 'packages/cli/test/load-config.test.ts';
const droppedThinkingTests = 'packages/gateway/test/dropped-thinking.test.ts';
const ledgerArithmeticTests = 'packages/deferral/test/ledger.test.ts';
const ledgerStoryTests = 'packages/gateway/test/ledger-scenarios.test.ts';
const ledgerTests = 'packages/gateway/test/ledger.test.ts';
const killTests = 'test/chaos/kill.test.ts';
const lawTests = 'packages/gateway/test/laws.property.test.ts';
const marksTests = 'packages/deferral/test/marks.test.ts';
const namesTests = 'packages/deferral/test/names.test.ts';
const rulePropertyTests = 'packages/deferral/test/rule.property.test.ts';
const refusalTests = 'packages/gateway/test/refusal.test.ts';
const ruleTests = 'packages/deferral/test/rule.test.ts';
const signalTests = 'packages/gateway/test/signals.test.ts';
const unitTests = 'packages/deferral/test/unit.test.ts';

/** The rules of the page `gateway-deferral`. */
export const gatewayDeferral: RequirementPage = {
  page: 'gateway-deferral',
  requirements: [
    {
      id: 'PR1',
      shownBy: [
        { file: gatewayCommandTests, test: 'PR1: starts in observe' },
        { file: presetTests, test: 'PR1: $preset removes' },
        { file: accountTests, test: 'PR1: a preset named at the start' },
        { file: accountCommandTests, test: 'PR1: shows the preset' },
      ],
    },
    {
      id: 'PR2',
      shownBy: [
        { file: presetTests, test: 'PR2: defer: off switches' },
        { file: accountTests, test: 'PR2: what is set by command wins' },
        { file: accountCommandTests, test: 'PR2: what was set survives a restart' },
      ],
    },
    {
      id: 'PR3',
      shownBy: [
        { file: rewriteTests, test: 'PR3: a listed tool is left out' },
        { file: rewriteTests, test: 'PR3: a tool stays where its exact name' },
        { file: rewriteTests, test: 'PR3: the tool that is forced' },
        { file: rewriteTests, test: 'PR3: a provider’s own tool' },
        { file: rewriteTests, test: 'PR3: the last remaining tool' },
        { file: presetTests, test: 'PR3: a tool that the client’s system message' },
        { file: accountCommandTests, test: 'PR3: a pattern is wrong use' },
      ],
    },
    {
      id: 'PR4',
      shownBy: [
        { file: presetTests, test: 'PR4: is the same in every request' },
        { file: presetTests, test: 'PR4: a tool of a removed server that comes late' },
        { file: rewriteTests, test: 'PR4: a tool that the thread used' },
        { file: rewriteTests, test: 'PR4: a late tool of a removed server' },
        { file: rewriteTests, test: 'RW7, PR4: but for flags' },
      ],
    },
    {
      id: 'PR5',
      shownBy: [
        { file: deferralTests, test: 'PR5: a thread that begins with the bypass header' },
        { file: presetTests, test: 'PR5: a thread that begins with the bypass header' },
      ],
    },
    {
      id: 'PR6',
      shownBy: [
        { file: accountCommandTests, test: 'PR6: picking ultrahigh asks' },
        { file: accountCommandTests, test: 'PR6: a client that is pointed' },
        { file: accountCommandTests, test: 'PR6: picking %s sends no ask' },
      ],
    },
    {
      id: 'RU1',
      shownBy: [
        { file: ruleTests, test: 'RU1: a tool that this thread used or loaded' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
        { file: rulePropertyTests, test: 'RU1 to RU3: one more use never defers more' },
      ],
    },
    {
      id: 'RU2',
      shownBy: [
        { file: ruleTests, test: 'RU2: with %i sessions nothing is deferred' },
        { file: ruleTests, test: 'RU2: a use in session %i of the last three' },
        { file: ruleTests, test: 'RU2: a tool that session %i of the last three did not declare' },
        { file: ruleTests, test: 'RU2: what an older session than the last three did' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
      ],
    },
    {
      id: 'RU3',
      shownBy: [
        { file: ruleTests, test: 'RU3: a use in session %i of the project’s last ten' },
        { file: ruleTests, test: 'RU3: the project’s eleventh session' },
        { file: ruleTests, test: 'RU3: a project without sessions' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
      ],
    },
    {
      id: 'RU4',
      shownBy: [
        { file: ruleTests, test: 'RU4: %s is protected' },
        { file: ruleTests, test: 'RU4: the protected tools are those of the rule' },
        { file: ruleTests, test: 'RU4: protection and keep go by exact spelling' },
        { file: ruleTests, test: 'RU4: a tool that the account or the client keeps' },
        { file: ruleTests, test: 'RU4: keep takes an MCP server' },
        { file: clientTests, test: 'RU4: the core tools of a client' },
        { file: ruleTests, test: 'RU4: the tool that tool_choice forces' },
        { file: presetTests, test: 'RU4, PR2: what the account keeps' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
      ],
    },
    {
      id: 'RU5',
      shownBy: [
        { file: ruleTests, test: 'RU5: a tool under 200 tokens is not deferred, one of 200 is' },
        { file: ruleTests, test: 'RU5: only tools that nothing else keeps are weighed' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
      ],
    },
    {
      id: 'RU6',
      shownBy: [
        { file: unitTests, test: 'RU6: the server of %j is read up to the first __' },
        { file: unitTests, test: 'RU6: %j has no server or no tool part' },
        { file: ruleTests, test: 'RU6: all tools of a server are deferred together' },
        { file: ruleTests, test: 'RU6: the tools of a server are weighed together' },
        { file: ruleTests, test: 'RU6: one %s keeps the whole server' },
        { file: ruleTests, test: 'RU6: a server was declared in a session' },
        { file: ruleTests, test: 'RU6: mcp__srv and mcp__srv2' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
      ],
    },
    {
      id: 'RU7',
      shownBy: [
        { file: ruleTests, test: 'RU7: tools that the client deferred and server tools do not join' },
        { file: ruleTests, test: 'RU7: they do not block either' },
        { file: ruleTests, test: 'RU7: a use of a tool that the client deferred' },
        { file: rulePropertyTests, test: 'RU7, RU8: only client tools' },
        { file: memoryTests, test: 'RU7: what a hidden search loaded' },
      ],
    },
    {
      id: 'RU8',
      shownBy: [
        { file: ruleTests, test: 'RU8: of several reasons the first' },
        { file: ruleTests, test: 'RU8: output is sorted' },
        { file: rulePropertyTests, test: 'RU8: the order in which sets' },
        { file: rulePropertyTests, test: 'RU8, RW4: the order of the request' },
        { bench: 'bench/deferral.ts', row: 'benchDecide' },
      ],
    },
    {
      id: 'RW1',
      shownBy: [
        { file: rewriteTests, test: 'RW1: a deferred tool gets the flag' },
        { file: rewriteTests, test: 'RW1: a client with a search tool' },
        { file: rewriteTests, test: 'RW1: an explicit false' },
        { file: rewriteTests, test: 'RW1: deferral looks at what removal leaves' },
        { file: claudeTests, test: 'RU4, RU5, RW1: the fourth session defers' },
      ],
    },
    {
      id: 'RW2',
      shownBy: [
        { file: namesTests, test: 'RW2: it names the deferred tools' },
        { file: namesTests, test: 'RW2: it asks for the exact name' },
        { file: namesTests, test: 'RW2: on a model without system messages' },
        { file: namesTests, test: 'RW2: it is inside the client’s own system message' },
        { file: namesTests, test: 'RW2: it is a new message after the opening run' },
        { file: namesTests, test: 'RW2: a new message always follows a user message' },
        { file: rewriteTests, test: 'RW2: the names list is the last block' },
        { file: rewriteTests, test: 'RW2: an emptied system message' },
        { file: rewriteTests, test: 'RW2: without one it stands in a new system message' },
        { file: rewriteTests, test: 'RW2: on a model without system messages' },
        { file: claudeTests, test: 'RW2: the names list is one text block more' },
      ],
    },
    {
      id: 'RW3',
      shownBy: [
        { file: rewriteTests, test: 'RW3, law 3: the prefix of the next request' },
        { file: claudeTests, test: 'RW3, O1: names list and tools keep their bytes' },
      ],
    },
    {
      id: 'RW4',
      shownBy: [
        { file: ruleTests, test: 'RW4: where all would be deferred' },
        { file: ruleTests, test: 'RW4: where the last tool is a server’s' },
        { file: ruleTests, test: 'RW4: a server tool, or one that the client deferred' },
        { file: rulePropertyTests, test: 'RU1 to RU8, RW4: the decision is that of the rule' },
        { file: rewriteTests, test: 'RW4: where all would be deferred' },
      ],
    },
    {
      id: 'RW5',
      shownBy: [
        { file: marksTests, test: 'RW5: %s (%s)' },
        { file: marksTests, test: 'RW5: marks keep their order' },
        { file: marksTests, test: 'RW5, RW8: where nothing can take a mark' },
        { file: marksTests, test: 'RW5: no mark is lost, doubled' },
        { file: rewriteTests, test: 'RW5: a mark moves byte for byte' },
        { file: rewriteTests, test: 'RW5: with no loaded tool free' },
        { file: rewriteTests, test: 'RW5: a removed tool hands its mark on' },
        { file: rewriteTests, test: 'law 6: never deferred and marked' },
      ],
    },
    {
      id: 'RW6',
      shownBy: [
        { file: rewriteTests, test: 'RW6: a forced tool stays loaded' },
        { file: rewriteTests, test: 'RW6: so it does where the forced tool' },
      ],
    },
    {
      id: 'RW7',
      shownBy: [
        { file: rewriteTests, test: 'RW7, law 2: undoing the edits' },
        { file: rewriteTests, test: 'RW7, PR4: but for flags' },
        { file: claudeTests, test: 'RW7: nothing but the flags' },
      ],
    },
    {
      id: 'RW8',
      shownBy: [
        { file: proxyTests, test: 'what is not JSON, cut off' },
        { file: claudeTests, test: 'RU2, RW8: the first three sessions' },
      ],
    },
    {
      id: 'RW9',
      shownBy: [
        { file: proxyTests, test: 'requests and answers of 4 KB to 20 MB' },
        { file: deferralTests, test: 'RW9: a compressed request that is edited' },
        { file: proxyTests, test: 'of an encoded answer agree with its bytes' },
      ],
    },
    {
      id: 'O1',
      shownBy: [
        { file: threadTests, test: 'O1: a decision is in the store' },
        { file: threadTests, test: 'O1: unconfirmed means' },
        { file: threadTests, test: 'O1: a failed overwriting' },
        { file: threadTests, test: 'O1: the first requests of one thread' },
        { file: deferralTests, test: 'everything in $preset without a store' },
        { file: presetTests, test: 'law 4: the record' },
        { file: presetTests, test: 'O1: nothing is removed where' },
        { file: presetTests, test: 'O1: nothing is removed in' },
        { file: killTests, test: 'O1, law 1: where no store can be' },
      ],
    },
    {
      id: 'O2',
      shownBy: [
        { file: threadTests, test: 'O2: the first writer wins' },
        { file: threadTests, test: 'O2: a restart finds' },
        { file: deferralTests, test: 'O2: two gateways on one store' },
        { file: threadTests, test: 'O2: where another attempt was first' },
      ],
    },
    {
      id: 'O3',
      shownBy: [
        { file: threadTests, test: 'O3: unreadable at a first request' },
        { file: threadTests, test: 'O3: with bound thinking the client is asked' },
        { file: threadTests, test: 'O3: with assistant turns but no bound' },
        { file: threadTests, test: 'O3: it is tried at each request' },
        { file: threadTests, test: 'O3: a record of a later version' },
        { file: threadTests, test: 'O3: what went as it came' },
        { file: refusalTests, test: 'O3: after three answers "come again"' },
      ],
    },
    {
      id: 'O4',
      shownBy: [
        { file: steadinessTests, test: 'O4: a lost record is made again' },
        { file: steadinessTests, test: 'O4: with bound thinking the original' },
        { file: memoryTests, test: 'O4: is enough to decide' },
      ],
    },
    {
      id: 'O5',
      shownBy: [
        { file: threadTests, test: 'O5: a fork inherits' },
        { file: threadTests, test: 'O5: another opening' },
        { file: threadTests, test: 'O5: a thread that begins anew' },
        { file: threadTests, test: 'O5: an opening that could not be written' },
        { file: steadinessTests, test: 'O5: a fork whose first answer tells nothing' },
        { file: steadinessTests, test: 'O5: a fork under a new id' },
        { file: steadinessTests, test: 'O5: a conversation with bound thinking' },
        { file: steadinessTests, test: 'O5: without bound thinking' },
      ],
    },
    {
      id: 'O6',
      shownBy: [{ file: deferralTests, test: 'O6: is left alone for life' }],
    },
    {
      id: 'O7',
      shownBy: [
        { file: threadTests, test: 'O7: ' },
        { file: deferralTests, test: 'O7: the thread’s request on a model' },
        { file: presetTests, test: 'O7: a deferred thread keeps its prefix' },
        { file: presetTests, test: 'O7: a thread that began in observe' },
        { file: presetTests, test: 'O7: in off nothing is read' },
        { file: presetTests, test: 'O7: ends the decisions of live threads' },
        { file: presetTests, test: 'O7: spares threads with bound thinking' },
        { file: accountCommandTests, test: 'O7: --now ends' },
      ],
    },
    {
      id: 'O8',
      shownBy: [{ file: steadinessTests, test: 'O8: a compaction keeps the session' }],
    },
    {
      id: 'O9',
      shownBy: [
        { file: steadinessTests, test: 'O9: a unit that the rule only now allows' },
        { file: steadinessTests, test: 'O9: a use takes the unit out' },
        { file: steadinessTests, test: 'O9: a plan holds nothing' },
      ],
    },
    {
      id: 'O10',
      shownBy: [
        { file: threadTests, test: 'O10: the records of threads in use' },
        { file: memoryTests, test: 'O10: lives as long' },
      ],
    },
    {
      id: 'Q1',
      shownBy: [
        { file: resolvingTests, test: 'Q1: keeps what it deferred' },
        { file: resolvingTests, test: 'Q1, Q2: with a search tool' },
      ],
    },
    {
      id: 'Q2',
      shownBy: [
        { file: searchTests, test: 'Q2: never sees one' },
        { file: searchTests, test: 'Q2: the vendor’s SDK' },
        { file: searchTests, test: 'Q2: what is put back' },
        { file: searchTests, test: 'Q2: with thoughts around' },
        { file: searchTests, test: 'Q2: goes on after a restart' },
        { file: searchTests, test: 'Q2: goes on with another gateway' },
        { file: searchTests, test: 'Q2, O5: a fork' },
        { file: searchTests, test: 'Q2: a history that was replaced' },
        { file: restoreTests, test: 'Q2: as it was shown' },
        { file: restoreTests, test: 'Q2: with its texts made one' },
        { file: restoreTests, test: 'Q2: altered by its client' },
        { file: restoreTests, test: 'Q2: without some of its thoughts' },
        { file: restoreTests, test: 'Q2: whose place is gone' },
        { file: stripRestoreTests, test: 'Q2: a client that %s gets each search back' },
        { file: searchTests, test: 'Q2: goes on from one that the output’s limit' },
        { file: relayTests, test: 'Q2: however a stream is cut' },
        { file: memoryTests, test: 'Q2: is durable before' },
        { file: clientTests, test: 'Q2: sees search blocks only' },
        { file: matrixTests, test: 'Q2: $title is the same' },
        { file: memoryTests, test: 'Q2: an answer that comes as' },
        { file: memoryTests, test: 'Q2: in $preset is not read' },
      ],
    },
    {
      id: 'Q3',
      shownBy: [
        { file: resolvingTests, test: 'Q3: resolves where the client' },
        { file: resolvingTests, test: 'Q3: resolves over a restart' },
        { file: resolvingTests, test: 'Q3, Q5: resolves in a side request' },
        { file: resolvingTests, test: 'Q3, Q5: resolves in a request to count' },
        { file: resolvingTests, test: 'Q3, RF1: a side request' },
      ],
    },
    {
      id: 'Q4',
      shownBy: [
        { file: continuationTests, test: 'Q4: $of, streams' },
        { file: continuationTests, test: 'Q4: is one message' },
        { file: continuationTests, test: 'Q4: goes on with the request' },
        { file: continuationTests, test: 'Q4: that never ends' },
        { file: continuationTests, test: 'Q4: whose continuation fails' },
        { file: continuationTests, test: 'Q4: since it has too much to do' },
        { file: claudeTests, test: 'Q4: a turn that the provider pauses' },
        { file: ledgerTests, test: 'Q4, LE1: is booked' },
      ],
    },
    {
      id: 'Q5',
      shownBy: [
        { file: deferralTests, test: 'Q5: requests without client tools' },
        { file: resolvingTests, test: 'Q3, Q5: resolves in a side request' },
        { file: resolvingTests, test: 'Q3, Q5: resolves in a request to count' },
      ],
    },
    {
      id: 'Q6',
      shownBy: [
        { file: steadinessTests, test: 'Q6: a new tool of a deferred server' },
        { file: steadinessTests, test: 'law 3: moves no byte of the prefix where' },
      ],
    },
    {
      id: 'Q7',
      shownBy: [
        { file: relayTests, test: 'Q7: usage passes' },
        { file: continuationTests, test: 'Q7: is the provider’s own' },
      ],
    },
    {
      id: 'HI1',
      shownBy: [{ file: deferralTests, test: 'RU3, HI1: a tool used in this project' }],
    },
    {
      id: 'HI2',
      shownBy: [
        { file: historyTests, test: 'HI2: go by last activity' },
        { file: historyTests, test: 'HI2: 64 are kept' },
        { file: 'packages/gateway/test/history-memory.test.ts', test: 'HI2: 1,000 tenants' },
      ],
    },
    {
      id: 'HI3',
      shownBy: [
        { file: historyTests, test: 'HI3: are handed out as copies' },
        { file: historyTests, test: 'HI3: gets what changed' },
        { file: historyTests, test: 'HI3: that fails' },
        { file: historyTests, test: 'HI3: gets the last activity at close' },
      ],
    },
    {
      id: 'HI4',
      shownBy: [{ file: historyTests, test: 'HI4: what was last active' }],
    },
    {
      id: 'HI5',
      shownBy: [
        { file: steadinessTests, test: 'HI5: the history of the account' },
        { file: historyTests, test: 'HI5: are one tenant’s own' },
      ],
    },
    {
      id: 'CH1',
      shownBy: [
        { file: checkTests, test: 'CH1: the question has one loaded tool' },
        { file: checkTests, test: 'CH1: a 200 with $content' },
        { file: checkTests, test: 'CH1: a 200 that is no message' },
      ],
    },
    {
      id: 'CH2',
      shownBy: [
        { file: checkTests, test: 'CH2: %d is no verdict' },
        { file: checkTests, test: 'CH2: %d is a fail' },
        { file: checkTests, test: 'CH2: pause_turn' },
        { file: checkTests, test: 'CH2: an upstream that is not there' },
      ],
    },
    {
      id: 'CH3',
      shownBy: [
        { file: checkTests, test: 'CH3, CH6: a pass holds 24 h' },
        { file: checkTests, test: 'CH3: a fail holds 15 minutes' },
        { file: checkTests, test: 'CH3: at most 4' },
      ],
    },
    {
      id: 'CH4',
      shownBy: [
        { file: signalTests, test: 'CH4: a model that the price table lacks' },
        { file: signalTests, test: 'CH4: no price table is one log line' },
        { file: signalTests, test: 'CH4, CH8: the model %j has no price' },
      ],
    },
    {
      id: 'CH5',
      shownBy: [{ file: checkTests, test: 'CH5: uses the caller' }],
    },
    {
      id: 'CH6',
      shownBy: [
        { file: checkTests, test: 'CH3, CH6: a pass holds 24 h' },
        { file: refusalTests, test: 'RF5, CH6: after a turn-off ends' },
        { file: signalTests, test: 'CH6: an ask checks again' },
        { file: signalTests, test: 'CH8: without an ask nothing is checked in %s' },
      ],
    },
    {
      id: 'CH7',
      shownBy: [
        { file: checkTests, test: 'CH7: a verdict survives a restart' },
        { file: checkTests, test: 'CH7: a verdict that is dropped while its check is in flight' },
        { file: checkTests, test: 'CH7: a dropped verdict is gone' },
      ],
    },
    {
      id: 'CH8',
      shownBy: [
        { file: signalTests, test: 'CH8, PR6: in %s an ask is answered 202 at once' },
        { file: signalTests, test: 'CH8: the request that carries it goes as it came' },
        { file: signalTests, test: 'CH8: a request on another wire leaves the ask' },
        { file: signalTests, test: 'CH4, CH8: the model %j has no price' },
        { file: signalTests, test: 'CH8: one ask per tenant' },
        { file: checkTests, test: 'CH3, CH8: an asked check waits' },
      ],
    },
    {
      id: 'RF1',
      shownBy: [
        { file: refusalTests, test: 'RF1: a %i to a rewritten request never reaches' },
        { file: refusalTests, test: 'RF1: the original goes as it came' },
        { file: refusalTests, test: 'RF1: a refusal’s body is read to 16 KiB' },
        { file: refusalTests, test: 'RF1: a request that we did not change' },
        { file: refusalTests, test: 'RF1: a %i to a rewritten request passes' },
        { file: refusalTests, test: 'RF1–RF4: no client sees a 400' },
        { file: continuationTests, test: 'RF1: is no part of the answer' },
        { file: continuationTests, test: 'RF1: is no part of a stream' },
      ],
    },
    {
      id: 'RF2',
      shownBy: [
        { file: refusalTests, test: 'RF2: an original that succeeds' },
        { file: refusalTests, test: 'RF2: the provider’s wording decides nothing' },
        { file: refusalTests, test: 'RF2: the thread is left alone for life' },
        { file: refusalTests, test: 'RF2: another gateway that still defers' },
        { file: refusalTests, test: 'RF2, O5: a fork of the thread' },
        { file: refusalTests, test: 'RF2: a restart keeps the turn-off' },
        { file: refusalTests, test: 'RF2: at most 256 per tenant' },
        { file: refusalTests, test: 'RF2: an original whose bound thinking fits' },
      ],
    },
    {
      id: 'RF3',
      shownBy: [
        { file: refusalTests, test: 'RF3: an original that fails too' },
        { file: refusalTests, test: 'RF3: an original that is answered %i' },
        { file: refusalTests, test: 'RF3: with bound thinking too' },
      ],
    },
    {
      id: 'RF4',
      shownBy: [
        { file: refusalTests, test: 'RF4: thinking bound to the deferred prefix' },
        { file: refusalTests, test: 'RF4: from then on each request' },
        { file: refusalTests, test: 'RF4: three sends at most' },
        { file: refusalTests, test: 'RF4: an original that is refused for something else' },
        { file: droppedThinkingTests, test: 'RF4: the control is spliced into %j' },
      ],
    },
    {
      id: 'RF5',
      shownBy: [
        { file: refusalTests, test: 'RF5: other live threads' },
        { file: refusalTests, test: 'RF5, CH6: after a turn-off ends' },
      ],
    },
    {
      id: 'RF6',
      shownBy: [
        { file: refusalTests, test: 'RF6: each retry is counted' },
        { file: refusalTests, test: 'RF6: each refused round is told' },
        { file: ledgerTests, test: 'RF6: nothing is booked as saved for it' },
      ],
    },
    {
      id: 'SG1',
      shownBy: [
        { file: signalTests, test: 'SG1: the texts false, 0, no and off' },
        { file: signalTests, test: 'SG1: any other value changes nothing' },
        { file: signalTests, test: 'SG1: and it clears nothing' },
      ],
    },
    {
      id: 'SG2',
      shownBy: [
        { file: signalTests, test: 'SG2: for a session already seen' },
        { file: signalTests, test: 'SG2: for an unseen session it waits' },
        { file: signalTests, test: 'SG2: one that waits lapses' },
        { file: signalTests, test: 'SG2: at most 64 wait' },
        { file: signalTests, test: 'SG2: it survives a restart' },
        { file: signalTests, test: 'SG2: it is taken at the session’s first request in any preset' },
        { file: signalTests, test: 'SG2: another gateway on the same store' },
      ],
    },
    {
      id: 'SG3',
      shownBy: [
        { file: signalTests, test: 'SG3: closed, %s is unknown' },
        { file: configTests, test: 'SG3: QM_CLIENT_SIGNALS=%s closes' },
      ],
    },
    {
      id: 'SG4',
      shownBy: [
        { file: signalTests, test: 'SG4, case 135: an id that scoping' },
        { file: signalTests, test: 'SG4: a body that is no object' },
        { file: signalTests, test: 'SG4: bodies are JSON of at most 4 KiB' },
        { file: signalTests, test: 'SG4: off loopback a signal needs' },
        { file: signalTests, test: 'SG4: a web page of another origin' },
        { file: signalTests, test: 'SG4: only POST is a signal' },
      ],
    },
    {
      id: 'LE1',
      shownBy: [
        { file: ledgerStoryTests, test: 'in 100 random ones' },
        { file: ledgerStoryTests, test: 'in more than twenty stories' },
        { file: ledgerArithmeticTests, test: 'a loaded tool stands in both prompts' },
        {
          file: ledgerArithmeticTests,
          test: 'a prefix that only the other prompt could have read makes the saving negative',
        },
        { file: ledgerTests, test: 'LE1: an undeferred prompt below the minimum' },
        { file: ledgerTests, test: 'LE1: a restart within a cache’s life' },
        { file: ledgerTests, test: 'LE1: what is served fast and in the US' },
      ],
    },
    {
      id: 'LE2',
      shownBy: [
        { file: ledgerTests, test: 'LE2: without a request of its own' },
        { file: ledgerTests, test: 'LE2: a table that is wrong' },
        { file: ledgerArithmeticTests, test: 'LE2: a search that was not measured' },
        { file: ledgerArithmeticTests, test: 'LE2: guesses by length' },
      ],
    },
    {
      id: 'LE3',
      shownBy: [
        { file: answerTests, test: 'the first and the last of 5,000' },
        { file: answerTests, test: 'an event of more than a megabyte' },
      ],
    },
    {
      id: 'LE4',
      shownBy: [
        { file: ledgerTests, test: 'LE4: a wrong guess is counted once' },
        { file: ledgerTests, test: 'LE4: after a restart' },
        { file: ledgerTests, test: 'LE4: each request leaves a record' },
      ],
    },
    {
      id: 'LE5',
      shownBy: [
        { file: ledgerTests, test: 'LE5: they never share a key' },
        { file: ledgerTests, test: 'LE5: before any request is booked' },
        { file: answerTests, test: 'a model without a price' },
      ],
    },
    {
      id: 'LE6',
      shownBy: [
        { file: ledgerTests, test: 'LE6: by default' },
        { file: ledgerTests, test: 'LE6: with a share of 1' },
        { file: ledgerTests, test: 'LE6: the share holds' },
      ],
    },
    {
      id: 'LE7',
      shownBy: [
        { file: accuracyTests, test: 'does the same tasks with deferral on and off' },
        { file: accuracyTests, test: 'refuses to start without a key' },
      ],
    },
    { id: 'PU1', open: 'not filed yet: purge' },
    { id: 'PU2', open: 'not filed yet: purge' },
    { id: 'PU3', open: 'not filed yet: purge' },
    { id: 'PU4', open: 'not filed yet: purge' },
    { id: 'OS1', open: 'not filed yet: own search' },
    { id: 'OS2', open: 'not filed yet: own search' },
    { id: 'OS3', open: 'not filed yet: own search' },
    {
      id: 'gateway-deferral:/anthropic/*, /openai/*, /gemini/*',
      shownBy: [
        { file: proxyTests, test: 'keep path, query and escapes' },
        { file: proxyTests, test: 'requests and answers of 4 KB to 20 MB' },
        { file: proxyTests, test: 'server-sent events as they are cut' },
      ],
    },
    {
      id: 'gateway-deferral:/healthz, /readyz',
      shownBy: [{ file: proxyTests, test: '/healthz and /readyz tell' }],
    },
    { id: 'gateway-deferral:/stats, /metrics', open: 'not filed yet: /metrics; /stats is there' },
    { id: 'gateway-deferral:/dashboard/, /api/v1/*', open: 'not filed yet: the dashboard' },
    {
      id: 'gateway-deferral:/tool-search, /tool-defer/probe',
      shownBy: [
        { file: signalTests, test: 'SG1: the texts false' },
        { file: signalTests, test: 'SG4: only POST is a signal' },
        { file: signalTests, test: 'CH8: one ask per tenant' },
      ],
    },
    {
      id: 'FA1',
      shownBy: [{ file: proxyTests, test: 'FA1: a client that goes away' }],
    },
    {
      id: 'FA2',
      shownBy: [{ file: proxyTests, test: 'FA2: the first byte of a stream' }],
    },
    {
      id: 'FA3',
      shownBy: [{ file: proxyTests, test: 'FA3: an upstream that dies' }],
    },
    {
      id: 'FA4',
      shownBy: [
        { file: killTests, test: 'FA4, laws 3 and 4: a session in whose midst' },
        { file: lawTests, test: 'laws 1 to 7: hold for random' },
        { file: steadinessTests, test: 'FA4, O1: a ledger' },
        { file: storeProcessTests, test: 'FA4: every claim that was won' },
      ],
    },
    { id: 'FA5', open: 'not filed yet: logs by size; rows, queues and memory are bounded' },
  ],
};
