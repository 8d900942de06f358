import type { Mutant } from './mutant.ts';

const source = 'packages/runtime/src';
const tests = 'packages/runtime/test';
const runTurn = `${source}/turn/run-turn.ts`;
const loop = `${source}/turn/loop.ts`;
const calls = `${source}/turn/calls.ts`;
const watch = `${source}/turn/loop-watch.ts`;
const rename = `${source}/turn/rename-calls.ts`;
const compaction = `${source}/turn/compaction.ts`;
const history = `${source}/sessions/history.ts`;
const held = `${source}/sessions/held-session.ts`;
const sessions = `${source}/sessions/sessions.ts`;
const loopTest = `${tests}/loop.test.ts`;
const cancelTest = `${tests}/cancel.test.ts`;
const failureTest = `${tests}/failures.test.ts`;
const compactionTest = `${tests}/compaction.test.ts`;
const historyTest = `${tests}/history.test.ts`;
const sessionTest = `${tests}/sessions.test.ts`;
const holdTest = `${tests}/hold.test.ts`;
const subAgentTest = `${tests}/sub-agents.test.ts`;

/** Of the loop and its calls. */
const loopMutants: readonly Mutant[] = [
  {
    name: 'an agent that is not told of its skills',
    file: `${source}/team/team-tools.ts`,
    find: 'return [instruction, ...notes]',
    replace: 'return [instruction]',
    killedBy: { file: `${tests}/skills.test.ts`, test: 'RT3: an agent is told of its skills' },
  },
  {
    name: 'a misspelt rule is not told',
    file: `${source}/team/team.ts`,
    find: '  warnOfRules(options);\n',
    replace: '',
    killedBy: { file: `${tests}/team-rules.test.ts`, test: 'case 97: a rule about a capability' },
  },
  {
    name: 'a store that fails twice leaves a turn without its end',
    file: `${source}/turn/begin-work.ts`,
    find: '.catch(() => undefined);',
    replace: ';',
    killedBy: { file: failureTest, test: 'R2: a store that fails in the middle of a turn' },
  },
  {
    name: 'the first event comes before the input is stored',
    file: runTurn,
    find: 'const input = await storeInput(work, request);',
    replace:
      "await work.show({ type: 'turn-start', messageId: '' }); const input = await storeInput(work, request);",
    killedBy: { file: loopTest, test: 'R1: the input is stored before the first event' },
  },
  {
    name: 'a request that came before is run again',
    file: runTurn,
    find: "input.type === 'repeated' ? repeatedResult(work, input.id) : await play(work, turn)",
    replace: 'await play(work, turn)',
    killedBy: { file: sessionTest, test: 'RS4: a request that comes twice is one turn' },
  },
  {
    name: 'a damaged item is passed over in silence',
    file: runTurn,
    find: 'if (body !== undefined) continue;',
    replace: 'continue;',
    killedBy: { file: historyTest, test: 'case 75: an item that can not be read is told of' },
  },
  {
    name: 'what is said after the last answer is lost',
    file: loop,
    find: 'if (answer.calls.length === 0 && !(await takeSteering(work)))',
    replace: 'if (answer.calls.length === 0)',
    killedBy: { file: loopTest, test: 'RL5: what is said while a turn runs enters it' },
  },
  {
    name: 'what was said before a cancel is forgotten',
    file: loop,
    find: 'await keepWords(work, shown.text);',
    replace: '',
    killedBy: { file: cancelTest, test: 'RL6: what the model had said before a cancel' },
  },
  {
    name: 'a fallback is not told of',
    file: loop,
    find: "await show({ type: 'error', code: error.code, message, recoverable: true });",
    replace: '',
    killedBy: { file: failureTest, test: 'R1: the next model goes on in the same turn' },
  },
  {
    name: 'no end of answers in one turn',
    file: loop,
    find: 'asked < work.agent.maxIterations',
    replace: 'asked < 1_000',
    killedBy: { file: loopTest, test: 'a model is asked at most maxIterations times' },
  },
  {
    name: 'results stand in the order in which they came',
    file: calls,
    find: 'for (const each of running)',
    replace: 'for (const each of running.toReversed())',
    killedBy: { file: loopTest, test: 'RL2: calls of one answer start together' },
  },
  {
    name: 'that a call began is not stored',
    file: calls,
    find: 'await session.startCall(place);',
    replace: '',
    killedBy: { file: cancelTest, test: 'L8, RL6, case 69: each call says' },
  },
  {
    name: 'a cancelled turn waits for a tool that does not listen',
    file: calls,
    find: 'return await Promise.race([running, promise]);',
    replace: 'void promise; return await running;',
    killedBy: { file: cancelTest, test: 'L8: a tool that does not listen' },
  },
  {
    name: 'a model repeats itself for ever',
    file: watch,
    find: 'export const maxIdenticalCalls = 5;',
    replace: 'export const maxIdenticalCalls = 500;',
    killedBy: { file: loopTest, test: 'RL4: the fifth identical call' },
  },
  {
    name: 'a tool that polls is in a loop',
    file: watch,
    find: "isPolling(call.name) ? 'none' : note(call, toldBefore)",
    replace: 'note(call, toldBefore)',
    killedBy: { file: loopTest, test: 'RL4: another call in between' },
  },
  {
    name: 'a model is not told before its turn fails',
    file: watch,
    find: "return call === toldBefore ? 'stuck' : 'told';",
    replace: "return call === (toldBefore ?? told) && count > maxIdenticalCalls ? 'stuck' : 'told';",
    killedBy: { file: loopTest, test: 'RL4: a model that repeats itself within one answer' },
  },
  {
    name: 'a duplicate in one answer runs twice',
    file: rename,
    find: 'if (written.has(call)) return [];',
    replace: '',
    killedBy: { file: failureTest, test: 'case 73: a true duplicate in one answer runs once' },
  },
  {
    name: 'an id that is used again stays as it is',
    file: rename,
    find: 'const taken = new Set(used);',
    replace: 'const taken = new Set<string>();',
    killedBy: { file: failureTest, test: 'case 73: an id that is used again in a later turn' },
  },
  {
    name: 'a result has no bound',
    file: `${source}/turn/result-text.ts`,
    find: 'if (text.length <= maxCharacters) return text;',
    replace: 'if (maxCharacters > 0) return text;',
    killedBy: { file: loopTest, test: 'RT4: a long result is cut' },
  },
];

/** Of sessions and sub-agents. */
const sessionMutants: readonly Mutant[] = [
  {
    name: 'a call without a result stays without one',
    file: history,
    find: 'if (calls.length === 0) return [entry];',
    replace: 'if (calls.every((_, index) => findCall({ item: id, index }) === undefined)) return [entry];',
    killedBy: { file: historyTest, test: 'case 71: a call whose process was killed' },
  },
  {
    name: 'a turn goes on after its session was taken',
    file: held,
    find: 'if (!isTurnLost(error)) throw error;',
    replace: 'if (isTurnLost(error)) return undefined as Value;',
    killedBy: { file: holdTest, test: 'a turn whose session was taken over fails' },
  },
  {
    name: 'the session of a dead process waits for its lease',
    file: held,
    find: "if (begin.type === 'busy' && isOwnerGone(begin.owner, host)) {",
    replace: "if (begin.type === 'busy' && begin.owner === host.boot) {",
    killedBy: { file: holdTest, test: 'L1: the session of a process that was killed' },
  },
  {
    name: 'a session is taken from a process that lives',
    file: `${source}/owner/owner.ts`,
    find: 'if (running === undefined) return true;',
    replace: 'if (running !== undefined) return true;',
    killedBy: { file: holdTest, test: 'J3: to itself it is gone or not' },
  },
  {
    name: 'a session is deleted under its turn',
    file: sessions,
    find: 'const held = await holdSession(key, { turn: ids() }, holder);',
    replace: 'const held = { release: async () => {} };',
    killedBy: { file: sessionTest, test: 'RS3: a session that is deleted is gone' },
  },
  {
    name: 'a fork splits a call from its result',
    file: history,
    find: "outcome: 'not-started', text: notStarted };",
    replace: "outcome: 'completed', text: '' };",
    killedBy: { file: historyTest, test: 'case 71: a call whose process was killed' },
  },
  {
    name: 'an export says what is for one provider alone',
    file: `${source}/sessions/transcript.ts`,
    find: 'messages: entries.map(({ message, agent, atMs }) => ({\n      message: withoutProviderData(message),',
    replace: 'messages: entries.map(({ message, agent, atMs }) => ({\n      message,',
    killedBy: { file: sessionTest, test: 'RS3: an export as JSON' },
  },
  {
    name: 'an export runs what a session holds',
    file: `${source}/sessions/format-html.ts`,
    find: "return text.replaceAll(/[&<>\"']/g, (character) => entities[character] ?? '');",
    replace: "return text.replaceAll(/&/g, (character) => entities[character] ?? '');",
    killedBy: { file: sessionTest, test: 'RS3: an export as HTML' },
  },
  {
    name: 'a sub-agent has the rights of the run',
    file: `${source}/agents/runnable-agent.ts`,
    find: 'given.narrow(config.permissions)',
    replace: 'given',
    killedBy: { file: subAgentTest, test: 'P8: a child has at most the rights of its parent' },
  },
  {
    name: 'a sub-session stands in no session',
    file: `${source}/turn/begin-work.ts`,
    find: "await parent.session.append({ type: 'sub-session', session: ref.session, agent: child, callId });",
    replace: '',
    killedBy: { file: subAgentTest, test: 'what a child spends, its parent spends' },
  },
];

/** Of compaction. */
const compactionMutants: readonly Mutant[] = [
  {
    name: 'a conversation is compacted when it is full',
    file: compaction,
    find: 'used <= contextTokens * limits.compactAtShare',
    replace: 'used <= contextTokens * 2',
    killedBy: { file: compactionTest, test: 'RL3: a conversation that fills 0.9 of the context' },
  },
  {
    name: 'the kept part begins with results',
    file: compaction,
    find: "if (message.role === 'tool') continue;",
    replace: '',
    killedBy: { file: compactionTest, test: 'RL3: the kept part begins with a whole step' },
  },
  {
    name: 'thoughts go on after the beginning that they are bound to',
    file: history,
    find: 'message: withoutReasoning(entry.message), usage: undefined',
    replace: 'usage: undefined',
    killedBy: { file: compactionTest, test: 'RL3: the kept part begins with a whole step' },
  },
  {
    name: 'a summary costs nothing',
    file: compaction,
    find: '{ spent: toTotals(usage), toolDeferrals: null }',
    replace: '{ toolDeferrals: null }',
    killedBy: { file: compactionTest, test: 'RL3: totals never fall' },
  },
  {
    name: 'a summary that failed ends the turn',
    file: compaction,
    find: 'signal.throwIfAborted();',
    replace: 'if (error !== undefined) throw error;',
    killedBy: { file: compactionTest, test: 'RL3: a summary that fails is a warning' },
  },
  {
    name: 'what is too long is sent whole to be summarised',
    file: compaction,
    find: "reason === 'overflow' ? shorten(replaced, model.contextTokens) : replaced",
    replace: 'replaced',
    killedBy: { file: compactionTest, test: 'RL3: after an overflow room is made once' },
  },
];

/** Of the engine that agents run on. */
export const runtimeMutants: readonly Mutant[] = [...loopMutants, ...sessionMutants, ...compactionMutants];
