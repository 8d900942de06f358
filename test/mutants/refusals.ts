import type { Mutant } from './mutant.ts';

const gateway = (name: string): string => `packages/gateway/src/${name}.ts`;
const checks = gateway('check/checks');
const optOuts = gateway('signals/opt-outs');
const resend = gateway('refusal/resend');
const storedThreads = 'packages/store/src/threads.ts';
const refusalTests = 'packages/gateway/test/refusal.test.ts';
const signalTests = 'packages/gateway/test/signals.test.ts';
const checkTests = 'packages/gateway/test/check.test.ts';
const storeTests = 'packages/store/test/sqlite-contract.test.ts';

/** Of refusals, turn-offs, clients' signals and asked checks. */
export const refusalMutants: readonly Mutant[] = [
  {
    name: 'retry off',
    file: gateway('refusal/answer-start'),
    find: 'return statusCode === 400 || statusCode === 422;',
    replace: 'return false;',
    killedBy: { file: refusalTests, test: 'RF1: a 400 to a rewritten request never' },
  },
  {
    name: 'turn-off only on a known error text',
    file: resend,
    find: 'if (!(await isStillAwaited(exchange, held))) return;',
    replace:
      "let isKnown = false; const told = { ...exchange, onRefused: ({ label }: RefusedRound) => { isKnown = label !== 'other'; } }; if (!(await isStillAwaited(told, held))) return; if (!isKnown) return sendUnreadable(exchange);",
    killedBy: { file: refusalTests, test: 'RF2: the provider’s wording decides nothing' },
  },
  {
    name: 'the thread returns to deferred after a refusal',
    file: gateway('threads/threads'),
    find: 'if (attempt === undefined) return;',
    replace: 'return;',
    killedBy: { file: refusalTests, test: 'RF2: the thread is left alone for life' },
  },
  {
    name: 'caps of turn-offs removed',
    file: gateway('refusal/turn-offs'),
    find: 'const maxPerTenant = 256;',
    replace: 'const maxPerTenant = 1_000_000;',
    killedBy: { file: refusalTests, test: 'RF2: at most 256 per tenant' },
  },
  {
    name: 'cap shared by tenants',
    file: gateway('refusal/turn-offs'),
    find: 'const started = tenants.get(tenant) ?? new Map<string, number>();',
    replace: 'const started = [...tenants.values()][0] ?? new Map<string, number>();',
    killedBy: { file: refusalTests, test: 'RF2: at most 256 per tenant' },
  },
  {
    name: 'a turn-off flips live threads',
    file: gateway('messages'),
    find: 'const decided = await askThread(request, conversation, settings);',
    replace:
      "const decided = options.turnOffs.isOn(conversation.tenant, conversation.modelId) ? ({ type: 'decided', decision: { type: 'nothing', reason: 'turned-off' }, isNew: false } as const) : await askThread(request, conversation, settings);",
    killedBy: { file: refusalTests, test: 'RF5: other live threads' },
  },
  {
    name: 'a stale verdict serves after a turn-off',
    file: gateway('ask-thread'),
    find: 'turnOffs.endedAtMs(tenant, modelId)',
    replace: '-Infinity',
    killedBy: { file: refusalTests, test: 'RF5, CH6' },
  },
  {
    name: 'a verdict dropped in flight is kept',
    file: checks,
    find: "if (outcome === 'no-verdict' || isVoid) return;",
    replace: "if (outcome === 'no-verdict') return;",
    killedBy: { file: checkTests, test: 'CH7: a verdict that is dropped' },
  },
  {
    name: 'a late commit wins',
    file: storedThreads,
    find: 'decision = case when thread.decided_at_ms < ${endedAtMs} then excluded.decision else thread.decision end,',
    replace: 'decision = excluded.decision,',
    killedBy: { file: storeTests, test: 'RF2, O2: a late claim' },
  },
  {
    name: 'a late claim inserts',
    file: storedThreads,
    find: 'where ${database.nowMs} < ${deadlineMs}',
    replace: 'where ${deadlineMs} > 0',
    killedBy: { file: storeTests, test: "O1: the deadline is held against the engine's clock" },
  },
  {
    name: 'any value of the flag opts out',
    file: gateway('signals/signal'),
    find: 'return offTexts.has(String(value).toLowerCase());',
    replace: 'return true;',
    killedBy: { file: signalTests, test: 'SG1: any other value' },
  },
  {
    name: 'an opt-out flips a live thread',
    file: gateway('messages'),
    find: 'const decided = await askThread(request, conversation, settings);',
    replace:
      "const decided = (await optOuts.has(conversation.tenant, conversation.session, 50)) ? ({ type: 'decided', decision: { type: 'nothing', reason: 'opted-out' }, isNew: false } as const) : await askThread(request, conversation, settings);",
    killedBy: { file: signalTests, test: 'SG2: for a session already seen' },
  },
  {
    name: 'caps of waiting opt-outs removed',
    file: optOuts,
    find: 'const maxPending = 64;',
    replace: 'const maxPending = 1_000_000;',
    killedBy: { file: signalTests, test: 'SG2: at most 64' },
  },
  {
    name: 'signal switch ignored',
    file: gateway('gateway'),
    find: "const areSignalsOpen = options.clientSignals !== 'off';",
    replace: 'const areSignalsOpen = true;',
    killedBy: { file: signalTests, test: 'SG3: closed, /tool-search' },
  },
  {
    name: 'ask ignored outside ultrahigh',
    file: gateway('data-plane'),
    find: "if (!isPlanned && !(route.kind === 'messages' && askedChecks.isAwaited(localTenant))) {",
    replace: 'if (!isPlanned) {',
    killedBy: { file: signalTests, test: 'CH8, PR6: in off' },
  },
  {
    name: 'caps of asks removed',
    file: gateway('signals/asks'),
    find: 'const maxTenants = 10_000;',
    replace: 'const maxTenants = 1_000_000;',
    killedBy: { file: signalTests, test: 'CH8: one ask per tenant' },
  },
  {
    name: 'unpriced model checked',
    file: gateway('signals/asked-checks'),
    find: 'model === undefined || catalog.find(model) === undefined',
    replace: 'model === undefined',
    killedBy: { file: signalTests, test: 'CH4, CH8' },
  },
];
