import type { Mutant } from './mutant.ts';

const state = 'packages/deferral/src/tool-deferrals.ts';
const json = 'packages/deferral/src/tool-deferrals-json.ts';
const tests = 'packages/deferral/test/tool-deferrals.test.ts';
const declare = 'packages/runtime/src/turn/declare-tools.ts';
const heldSession = 'packages/runtime/src/sessions/held-session.ts';
const sessionTests = 'packages/runtime/test/deferral.test.ts';
const wireTests = 'packages/providers/test/late-tools.test.ts';

/** Of a session's tools: their baseline, their places and their frozen declarations. */
export const sessionDeferralMutants: readonly Mutant[] = [
  {
    name: 'an empty baseline is no baseline',
    file: state,
    find: 'const baseline = deferrals.baseline ?? ',
    replace: 'const baseline = deferrals.baseline?.length ? deferrals.baseline : ',
    killedBy: { file: tests, test: 'D1: a first call without tools' },
  },
  {
    name: 'late tools stay inline',
    file: state,
    find: 'const entering = at === undefined ? [] : ',
    replace: 'const entering = at !== undefined ? [] : ',
    killedBy: { file: tests, test: 'D2' },
  },
  {
    name: 'what waits for a success is forgotten when it goes',
    file: state,
    find: 'const unplaced = [...definitions.keys()].filter((name) => !placed.has(name));',
    replace: 'const unplaced = tools.map(({ name }) => name).filter((name) => !placed.has(name));',
    killedBy: { file: tests, test: 'D3: what waits inline' },
  },
  {
    name: 'catalogue tools join the baseline',
    file: state,
    find: 'const tools = present.filter((tool) => tool.isSearchOnly !== true);',
    replace: 'const tools = present;',
    killedBy: { file: tests, test: 'D4' },
  },
  {
    name: 'a new text of a tool is taken at once',
    file: state,
    find: 'const fresh = tools.filter(({ name }) => !frozen.has(name));',
    replace: 'const fresh = tools;',
    killedBy: { file: tests, test: 'D5, D12: a changed definition' },
  },
  {
    name: 'every call counts as a change',
    file: state,
    find: 'deferrals: isChanged ? marked : deferrals,\n    isChanged,',
    replace: 'deferrals: marked,\n    isChanged: true,',
    killedBy: { file: tests, test: 'D1: the tools of the first call' },
  },
  {
    name: 'a result that was sent is edited though there is a tail',
    file: state,
    find: 'if (lastSuccess?.isSent === false) return',
    replace: 'if (lastSuccess !== undefined) return',
    killedBy: { file: tests, test: 'D10: where the last success was sent' },
  },
  {
    name: 'a broken prefix is not told',
    file: state,
    find: "return at.type === 'message' ? [{ name, cause: 'sent' }] : [];",
    replace: 'return [];',
    killedBy: { file: tests, test: 'D10: a model that takes tools by call' },
  },
  {
    name: 'a model with no place at the tail moves what others were sent',
    file: state,
    find: "return hasPlace && last !== undefined ? { type: 'message', messageId: last } : undefined;",
    replace:
      "if (lateTools !== 'tail' && lastSuccess) return { type: 'call', callId: lastSuccess.callId };\n  return hasPlace && last !== undefined ? { type: 'message', messageId: last } : undefined;",
    killedBy: { file: sessionTests, test: 'D10: a tool that came while gpt-5.2' },
  },
  {
    name: 'a tool of a message is listed though a success stands before it',
    file: 'packages/providers/src/place-tools.ts',
    find: "return callId === undefined ? undefined : { type: 'call', callId };",
    replace: 'return undefined;',
    killedBy: { file: wireTests, test: 'D2, D10: a model that takes tools after a call only' },
  },
  {
    name: 'a model with a tail is told of what waits inline for others',
    file: state,
    find: "at === undefined && position.lateTools !== 'tail' ? unplaced : []",
    replace: 'at === undefined ? unplaced : []',
    killedBy: { file: tests, test: 'D10: a model with a tail is told' },
  },
  {
    name: 'what waits stands before what has its place',
    file: state,
    find: "    ...late.flatMap(({ name, at }) => mark(name, at)),\n    ...waiting.flatMap((name) => mark(name, { type: 'inline' })),",
    replace:
      "    ...waiting.flatMap((name) => mark(name, { type: 'inline' })),\n    ...late.flatMap(({ name, at }) => mark(name, at)),",
    killedBy: { file: tests, test: 'D3: a list stays as it is' },
  },
  {
    name: 'a tool that is gone is no longer declared',
    file: state,
    find: 'if (digest === undefined) return [];\n    const now = current.get(name);',
    replace: 'const now = current.get(name);\n    if (digest === undefined || now === undefined) return [];',
    killedBy: { file: tests, test: 'D12: a tool that is gone' },
  },
  {
    name: 'a branch keeps places that it has not copied',
    file: state,
    find: 'return isWhole && startedAt',
    replace: 'return startedAt',
    killedBy: { file: tests, test: 'a copy with a call without its result' },
  },
  {
    name: 'a state of another version is read',
    file: json,
    find: "|| read['version'] !== 1",
    replace: '',
    killedBy: { file: tests, test: 'DP4' },
  },
  {
    name: 'a session does not save what it has deferred',
    file: heldSession,
    find: 'if (!isSubSession) await write(() => store.saveToolDeferrals(ref, turn, toStored(next, tools)));',
    replace: '',
    killedBy: { file: sessionTests, test: 'after a restart another runtime sends' },
  },
  {
    name: 'a session saves what it has deferred with every call',
    file: 'packages/runtime/src/turn/build-request.ts',
    find: 'if (changed !== undefined) await session.saveTools(changed);',
    replace: 'await session.saveTools(changed ?? session.tools());',
    killedBy: { file: sessionTests, test: 'DP2' },
  },
  {
    name: 'thoughts of another instruction are sent',
    file: 'packages/runtime/src/sessions/history.ts',
    find: 'entry.beginning !== undefined && entry.beginning !== beginning',
    replace: 'entry.beginning === undefined && entry.beginning === beginning',
    killedBy: { file: sessionTests, test: 'thoughts of another instruction are not sent' },
  },
  {
    name: 'a beginning without its late tools',
    file: 'packages/runtime/src/turn/name-beginning.ts',
    find: 'mayGrow || isSearched || tools.some(({ entersAt }) => entersAt !== undefined)',
    replace: 'mayGrow || isSearched',
    killedBy: { file: sessionTests, test: 'so it is where its first late tool' },
  },
  {
    name: 'a beginning without its search',
    file: 'packages/runtime/src/turn/name-beginning.ts',
    find: 'JSON.stringify([system, isDeferring, isSearched])',
    replace: 'JSON.stringify([system, isDeferring])',
    killedBy: { file: sessionTests, test: 'so it is where its first late tool' },
  },
  {
    name: 'what was found is declared as it is now',
    file: 'packages/runtime/src/turn/found-tools.ts',
    find: '...first.values(),',
    replace: '...catalogue.filter(({ name }) => first.has(name)),',
    killedBy: { file: sessionTests, test: 'case 17: what was found stays declared' },
  },
  {
    name: 'a model says nothing of what it found',
    file: 'packages/providers/src/anthropic/read-answer.ts',
    find: '...(found.length > 0 && { found })',
    replace: '...(found.length < 0 && { found })',
    killedBy: { file: sessionTests, test: 'case 17: what was found stays declared' },
  },
  {
    name: 'a compaction keeps the places of tools',
    file: 'packages/runtime/src/turn/compaction.ts',
    find: ', toolDeferrals: null }',
    replace: ' }',
    killedBy: { file: sessionTests, test: 'DP3' },
  },
  {
    name: 'a failed call is a load point',
    file: declare,
    find: "message.results.findLast(({ outcome }) => outcome === 'completed')?.callId",
    replace: 'message.results.at(-1)?.callId',
    killedBy: { file: 'packages/runtime/test/declare-tools.test.ts', test: 'D9' },
  },
  {
    name: 'a result that was sent counts as one to be sent',
    file: declare,
    find: "const isSent = messages.slice(index + 1).some(({ role }) => role === 'assistant');",
    replace: 'const isSent = false;',
    killedBy: { file: 'packages/runtime/test/declare-tools.test.ts', test: 'D10: a result was sent' },
  },
  {
    name: 'a changed tool is not told of',
    file: declare,
    find: 'outdated: marking.tools.flatMap(({ name, isOutdated }) => (isOutdated ? [name] : [])),',
    replace: 'outdated: [],',
    killedBy: { file: sessionTests, test: 'D5: tells a tool whose text' },
  },
  {
    name: 'a branch takes places that it does not have',
    file: 'packages/runtime/src/sessions/copied-part.ts',
    find: 'return copied === noToolDeferrals ? { beforePosition } : ',
    replace: 'return copied === undefined ? { beforePosition } : ',
    killedBy: { file: sessionTests, test: 'one before a place begins anew' },
  },
  {
    name: 'no placeholder stands for tools to come',
    file: 'packages/providers/src/anthropic/tools.ts',
    find: '...(isGrowing ? [deferred(deferredPlaceholder)] : []),',
    replace: '',
    killedBy: { file: wireTests, test: 'D11' },
  },
  {
    name: 'a result does not load its tools',
    file: 'packages/providers/src/anthropic/body.ts',
    find: ', ...toReferences(entering)]',
    replace: ']',
    killedBy: { file: wireTests, test: 'D2' },
  },
  {
    name: 'no tool enters at the tail of a Responses request',
    file: 'packages/providers/src/openai/responses-body.ts',
    find: 'return entering.length === 0 ? [] : [toAdditionalTools(entering)];',
    replace: 'return [];',
    killedBy: { file: wireTests, test: 'D10' },
  },
  {
    name: 'a search pair has another id each time',
    file: 'packages/providers/src/openai/late-tools.ts',
    find: "call_id: `tool_load_${hash('sha256', callId).slice(0, 16)}`",
    replace: 'call_id: `tool_load_${Math.random()}`',
    killedBy: { file: wireTests, test: 'D2' },
  },
  {
    name: 'a catalogue stands in the order in which it came',
    file: 'packages/providers/src/place-tools.ts',
    find: '.toSorted(byName)',
    replace: '',
    killedBy: { file: wireTests, test: 'a catalogue is searched' },
  },
];
