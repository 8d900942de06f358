import type { Mutant } from './mutant.ts';

const state = 'packages/deferral/src/tool-deferrals.ts';
const json = 'packages/deferral/src/tool-deferrals-json.ts';
const tests = 'packages/deferral/test/tool-deferrals.test.ts';

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
    find: 'const entering = place === undefined ? [] : ',
    replace: 'const entering = place !== undefined ? [] : ',
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
    find: 'if (tail !== undefined && lastSuccess?.isSent !== false) {',
    replace: 'if (tail !== undefined && lastSuccess === undefined) {',
    killedBy: { file: tests, test: 'D10: where the last success was sent' },
  },
  {
    name: 'a broken prefix is not told',
    file: state,
    find: "return place.isSent ? [{ name, cause: 'sent' }] : [];",
    replace: 'return [];',
    killedBy: { file: tests, test: 'D10: a model without a tail' },
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
    find: 'return isWhole && history.messageIds.size > 0 ? deferrals : noToolDeferrals;',
    replace: 'return history.messageIds.size > 0 ? deferrals : noToolDeferrals;',
    killedBy: { file: tests, test: 'a copy with a call without its result' },
  },
  {
    name: 'a state of another version is read',
    file: json,
    find: "|| read['version'] !== 1",
    replace: '',
    killedBy: { file: tests, test: 'DP4' },
  },
];
