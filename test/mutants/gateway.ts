import type { Mutant } from './mutant.ts';

const threads = 'packages/gateway/src/threads/threads.ts';
const decide = 'packages/gateway/src/decide.ts';
const history = 'packages/gateway/src/history.ts';
const rewrite = 'packages/gateway/src/rewrite/anthropic.ts';
const checks = 'packages/gateway/src/check/checks.ts';
const test = (name: string): string => `packages/gateway/test/${name}.test.ts`;

/** Of the gateway: threads, rewrite, history and check. */
export const gatewayMutants: readonly Mutant[] = [
  {
    name: 'core tools of a client deferred',
    file: decide,
    find: 'keep: [...keep, ...client.coreTools],',
    replace: 'keep,',
    killedBy: { file: test('clients'), test: 'RU4: the core tools' },
  },
  {
    name: 'Claude Code known by less than its session',
    file: 'packages/gateway/src/clients/claude-code.ts',
    find: 'return headerOf(headers, sessionHeader) !== undefined;',
    replace: "return headers['x-app'] === 'cli';",
    killedBy: { file: test('clients'), test: 'that copies the User-Agent of Claude Code' },
  },
  {
    name: 'search blocks shown to a terminal agent',
    file: 'packages/gateway/src/clients/terminal-agents.ts',
    find: 'echoesSearch: false,',
    replace: 'echoesSearch: true,',
    killedBy: { file: test('clients'), test: 'Q2: sees search blocks only' },
  },
  {
    name: 'a prompt chooses its project',
    file: 'packages/gateway/src/conversation/project.ts',
    find: "if (place === 'system') return system === undefined ? [] : [system.span];",
    replace: '',
    killedBy: { file: test('clients'), test: 'opencode has none where only a prompt' },
  },
  {
    name: 'cache mark not moved',
    file: rewrite,
    find: 'if (!targets.has(from) && !removed.has(from)) edits.push(removeMember(text, source.mark.span));',
    replace: 'continue;',
    killedBy: { file: test('rewrite'), test: 'law 6' },
  },
  {
    name: 'names list elsewhere',
    file: rewrite,
    find: 'return message === undefined ? [] : appendBlock(text, message.content, block);',
    replace: 'return [];',
    killedBy: { file: test('rewrite'), test: 'RW2' },
  },
  {
    name: 'set decided again each request',
    file: threads,
    find: 'if (record !== undefined && !isEnded(record, question)) {',
    replace: 'if (record !== undefined && question === undefined) {',
    killedBy: { file: test('threads'), test: 'O7' },
  },
  {
    name: 'persist after the send',
    file: threads,
    find: 'const claimed = await claim(store.threads, question, { ...decisions, ...options, settlement });',
    replace: `const claimed = { decision: printDecision(wanted), attempt: '', decidedAtMs: 0 };
      setImmediate(() => void claim(store.threads, question, { ...decisions, ...options, settlement }));`,
    killedBy: { file: test('threads'), test: 'O1: a decision is in the store' },
  },
  {
    name: 'a fork does not inherit',
    file: threads,
    find: 'const wanted = inherited ?? (state.wentUnread ? unread : await decide());',
    replace: 'const wanted = await decide();',
    killedBy: { file: test('threads'), test: 'O5: a fork inherits' },
  },
  {
    name: 'a late record flips the thread',
    file: threads,
    find: 'settlement.settle(settled);',
    replace: '',
    killedBy: { file: test('threads'), test: 'O1: unconfirmed' },
  },
  {
    name: 'rebuild drops loaded tools',
    file: decide,
    find: 'const found = isRebuilt ? [...transcript.foundBySearch, ...loadedBefore].map(unitOf) : [];',
    replace: 'const found: string[] = [];',
    killedBy: { file: test('steadiness'), test: 'O4: a lost record' },
  },
  {
    name: 'a fork without our search is rebuilt',
    file: decide,
    find: "if (hasBoundThinking(conversation)) return 'older-conversation';",
    replace: '',
    killedBy: { file: test('steadiness'), test: 'O5: a conversation with bound thinking' },
  },
  {
    name: 'deferral on in every preset',
    file: decide,
    find: "if (!circumstances.isDeferralOn) return 'deferral-off';",
    replace: '',
    killedBy: { file: test('deferral'), test: 'everything in observe' },
  },
  {
    name: 'deferral without a durable store',
    file: decide,
    find: "if (!circumstances.hasStore) return 'no-store';",
    replace: '',
    killedBy: { file: test('deferral'), test: 'everything in ultrahigh' },
  },
  {
    name: 'history hands out live maps',
    file: history,
    find: '.map(({ declared, used }) => ({ declared: new Set(declared), used: new Set(used) }));',
    replace: '.map((live) => live as never);',
    killedBy: { file: test('history'), test: 'HI3: are handed out as copies' },
  },
  {
    name: 'retention only when dirty',
    file: history,
    find: 'if (lastActivityMs >= beforeMs) continue;',
    replace: 'if (lastActivityMs >= beforeMs || !dirty.has(key)) continue;',
    killedBy: { file: test('history'), test: 'HI4' },
  },
  {
    name: 'history seeded across tenants',
    file: history,
    find: 'const known = tenants.get(name);',
    replace: 'const known = [...tenants.values()][0];',
    killedBy: { file: test('history'), test: 'HI5' },
  },
  {
    name: 'fail held 24 h',
    file: checks,
    find: "(verdict.type === 'pass' ? passHoldsMs : failHoldsMs)",
    replace: 'passHoldsMs',
    killedBy: { file: test('check'), test: 'CH3: a fail holds' },
  },
  {
    name: 'stale fail never re-checked',
    file: checks,
    find: "(verdict.type === 'pass' ? passHoldsMs : failHoldsMs)",
    replace: "(verdict.type === 'pass' ? passHoldsMs : Infinity)",
    killedBy: { file: test('check'), test: 'CH3: a fail holds' },
  },
  {
    name: 'caps of the check removed',
    file: checks,
    find: 'const maxInFlight = 4;',
    replace: 'const maxInFlight = Infinity;',
    killedBy: { file: test('check'), test: 'CH3: at most 4' },
  },
  {
    name: 'a plan grows within its day',
    file: 'packages/gateway/src/plans.ts',
    find: 'if (plan !== undefined && isCurrent(plan)) return shrink(id, plan, (unit) => ruled.includes(unit));',
    replace: '',
    killedBy: { file: test('steadiness'), test: 'O9: a unit that the rule only now allows' },
  },
  {
    name: 'a use leaves the plan as it is',
    file: 'packages/gateway/src/plans.ts',
    find: 'if (usedTools.length === 0) return;',
    replace: 'return;',
    killedBy: { file: test('steadiness'), test: 'O9: a use takes the unit out' },
  },
];
