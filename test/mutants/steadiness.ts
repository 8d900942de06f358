import type { Mutant } from './mutant.ts';

const threads = 'packages/gateway/src/threads/threads.ts';
const openings = 'packages/gateway/src/threads/openings.ts';
const settlement = 'packages/gateway/src/threads/settlement.ts';
const test = (name: string): string => `packages/gateway/test/${name}.test.ts`;

/** Of what keeps a thread's prefix in its place; the stories of the laws found that each was missing. */
export const steadinessMutants: readonly Mutant[] = [
  {
    name: 'an unconfirmed claim is overwritten late',
    file: settlement,
    find: 'let waitMs = 0;',
    replace: 'let waitMs = firstWaitMs;',
    killedBy: { file: test('threads'), test: 'O1: the overwriting is under way' },
  },
  {
    name: 'two gateways keep to decisions of their own',
    file: settlement,
    find: 'if (row !== undefined && row.attempt !== record.attempt) onTaken(row, record.attempt);',
    replace: '',
    killedBy: { file: test('threads'), test: 'O2: where another attempt was first' },
  },
  {
    name: 'a fork inherits by a claim of its own only',
    file: threads,
    find: 'unconfirmed: inherited ?? unconfirmed',
    replace: 'unconfirmed',
    killedBy: { file: test('threads'), test: 'O5: a fork inherits also' },
  },
  {
    name: 'one opening per thread',
    file: openings,
    find: 'openingShape === kept.shape) return;',
    replace: 'kept.shape !== undefined) return;',
    killedBy: { file: test('threads'), test: 'O5: a thread that begins anew' },
  },
  {
    name: 'an opening is the same for every model',
    file: 'packages/gateway/src/conversation/opening.ts',
    find: "return `${modelId} ${lengths.join(' ')} ${text.slice(span.start, span.end)}`;",
    replace: 'return text.slice(span.start, span.end);',
    killedBy: { file: test('steadiness'), test: 'O5: a fork is known by how its origin began' },
  },
  {
    name: 'an opening is tried once',
    file: openings,
    find: 'if (!isWritten && kept.shape === openingShape) kept.shape = undefined;',
    replace: '',
    killedBy: { file: test('threads'), test: 'O5: an opening that could not be written' },
  },
  {
    name: 'deferred after an unread first request',
    file: threads,
    find: 'state.wentUnread ? unread : await decide()',
    replace: 'await decide()',
    killedBy: { file: test('threads'), test: 'O3: what went as it came' },
  },
  {
    name: 'the names list leaves with a forced tool',
    file: 'packages/gateway/src/rewrite/anthropic.ts',
    find: "if (decision.type === 'defer') return rewriteDeferring(",
    replace: "if (decision.type === 'defer' && chosen.deferred.size > 0) return rewriteDeferring(",
    killedBy: { file: test('rewrite'), test: 'RW6: so it does' },
  },
  {
    name: 'a thread whose deferred tools are gone defers no more',
    file: 'packages/gateway/src/rewrite/anthropic.ts',
    find: 'hasDeferred ? additions.definitions : [placeholderEntry]',
    replace: 'additions.definitions',
    killedBy: { file: test('steadiness'), test: 'law 3: moves no byte of the prefix where nobody' },
  },
  {
    name: 'a placeholder that was found is gone when the tools are back',
    file: 'packages/gateway/src/search/additions.ts',
    find: '[placeholderName, placeholderEntry],',
    replace: '',
    killedBy: { file: test('steadiness'), test: 'law 3: moves no byte of the prefix where the model' },
  },
  {
    name: 'bound thinking that fits is taken for a proof',
    file: 'packages/gateway/src/refusal/refusals.ts',
    find: 'if (hasBoundThinking(conversation)) {',
    replace: 'if (conversation === undefined) {',
    killedBy: { file: test('refusal'), test: 'RF2: an original whose bound thinking fits' },
  },
  {
    name: 'a ledger that fails keeps records unsettled',
    file: 'packages/gateway/src/ledger/ledger.ts',
    find: "log.warn({ error: nameOf(error) }, 'the ledger could not be written whole; it will be tried again');",
    replace: 'throw error;',
    killedBy: { file: test('steadiness'), test: 'FA4, O1: a ledger' },
  },
];
