import type { Mutant } from './mutant.ts';

const source = (name: string): string => `packages/gateway/src/ledger/${name}.ts`;
const stories = 'packages/gateway/test/ledger-scenarios.test.ts';
const counts = 'packages/gateway/test/ledger.test.ts';
const taps = 'packages/gateway/test/tap.test.ts';

/** Of the ledger: what it adds up, and what it must not. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'every answer at its list price, wherever and however fast it was served',
    file: source('settle'),
    find: 'priceRequest(model, billed, bill.terms)',
    replace: 'priceRequest(model, billed)',
    killedBy: { file: counts, test: 'LE1: what is served fast' },
  },
  {
    name: 'no ratio but the table’s',
    file: source('ratios'),
    find: 'medians.get(model.id)?.median() ?? model.billedPerO200k',
    replace: 'model.billedPerO200k',
    killedBy: { file: counts, test: 'LE2: a table that is wrong' },
  },
  {
    name: 'o200k taken for billed tokens',
    file: source('ratios'),
    find: 'medians.get(model.id)?.median() ?? model.billedPerO200k',
    replace: 'medians.get(model.id)?.median() ?? 1',
    killedBy: { file: counts, test: 'LE2: without a request of its own' },
  },
  {
    name: 'loaded tools still counted as deferred',
    file: source('layout'),
    find: "return [{ ...part, arm: 'deferred', loads: block.references }];",
    replace: 'return [{ ...part, loads: block.references }];',
    killedBy: { file: stories, test: 'every deferred tool is used at once' },
  },
  {
    name: 'search output ignored',
    file: source('settle'),
    find: 'return measuredO200k * ratio + unmeasured * tokensPerSearch;',
    replace: 'return 0;',
    killedBy: { file: stories, test: 'every deferred tool is used at once' },
  },
  {
    name: 'definitions loaded for nothing',
    file: source('bill'),
    find: 'return { prompt: first, searchInput: subtract(total, first), outputTokens, terms };',
    replace: 'return { prompt: first, searchInput: none, outputTokens, terms };',
    killedBy: { file: stories, test: 'two wrong guesses in one answer' },
  },
  {
    name: 'names list for nothing',
    file: source('layout'),
    find: "arm: 'deferred',\n    marks: noMarks,",
    replace: "arm: 'both',\n    marks: noMarks,",
    killedBy: { file: stories, test: 'no marks: every token is fresh' },
  },
  {
    name: 'the model’s minimum ignored',
    file: source('settle'),
    find: 'const recast = recastPrompt({ parts, from, billed: bill.prompt, hits, minCacheTokens });',
    replace:
      'const recast = recastPrompt({ parts, from, billed: bill.prompt, hits, minCacheTokens: minCacheTokens * 0 });',
    killedBy: {
      file: 'packages/gateway/test/ledger.test.ts',
      test: 'LE1: an undeferred prompt below the minimum',
    },
  },
  {
    name: 'cache shared with undeferred sessions ignored',
    file: source('settle'),
    find: 'return isAsBilled ? { deferred: found.deferred.part, undeferred: found.undeferred.part } : undefined;',
    replace:
      'return isAsBilled ? { deferred: found.deferred.part, undeferred: found.deferred.part } : undefined;',
    killedBy: { file: stories, test: 'a first deferred session that could have read' },
  },
  {
    name: 'what is not told taken for 0',
    file: source('bill'),
    find: 'if (inputTokens === undefined || (hasMarks && cached.includes(undefined))) return undefined;',
    replace: 'if (inputTokens === undefined) return none;',
    killedBy: { file: taps, test: 'no figure for the input' },
  },
  {
    name: 'projection booked as saved',
    file: source('amounts'),
    find: 'const amounts = request.isProjection',
    replace: 'const amounts = request.isProjection && booking.atMs < 0',
    killedBy: { file: counts, test: 'LE5: they never share a key' },
  },
  {
    name: 'holdout ignored',
    file: 'packages/gateway/src/decide.ts',
    find: 'const isInArm = !isHeldOut(conversation, options.holdoutShare);',
    replace: 'const isInArm = true;',
    killedBy: { file: counts, test: 'LE6: with a share of 1' },
  },
  {
    name: 'a wrong guess counted at each use',
    file: source('thread-uses'),
    find: 'return uses.size - before;',
    replace: 'return tools.length + 0 * before;',
    killedBy: { file: counts, test: 'LE4: a wrong guess is counted once' },
  },
  {
    name: 'uses counted again after a restart',
    file: source('thread-uses'),
    find: 'return isCountedBefore ? 0 : added;',
    replace: 'return added;',
    killedBy: { file: counts, test: 'LE4: after a restart' },
  },
  {
    name: 'the believed cache forgotten at a restart',
    file: source('ledger'),
    find: 'accountOf(tenant).bookkeeper.shadow.restore(entries.flatMap(fromRow));',
    replace: 'accountOf(tenant).bookkeeper.shadow.restore(entries.slice(entries.length).flatMap(fromRow));',
    killedBy: { file: counts, test: 'LE1: a restart within a cache’s life' },
  },
  {
    name: 'one piece of bookkeeping for each turn of the event loop',
    file: source('background'),
    find: 'Math.ceil(waiting.length * sharePerTurn)',
    replace: '1',
    killedBy: { file: 'packages/gateway/test/background.test.ts', test: 'keeps up with more than one' },
  },
  {
    name: 'requests of any size kept waiting to be booked',
    file: source('background'),
    find: ' || waitingBytes + bytes > maxWaitingBytes',
    replace: '',
    killedBy: { file: 'packages/gateway/test/background.test.ts', test: 'FA5: is not taken while' },
  },
  {
    name: 'prompts of one bill taken for each other’s',
    file: source('prefixes'),
    find: 'if (isShown(part, arm)) chain.add(part.digest);',
    replace: 'chain.add(part.digest);',
    killedBy: { file: stories, test: 'a first deferred session that could have read' },
  },
  {
    name: 'records queued without a bound',
    file: source('writer'),
    find: 'if (records.length >= maxQueued) drops += 1;',
    replace: 'if (records.length < 0) drops += 1;',
    killedBy: { file: counts, test: 'FA5: what finds the queue full' },
  },
];
