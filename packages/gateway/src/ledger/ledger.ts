import type { IncomingMessage } from 'node:http';
import { sumPrompt, unitOf } from '@quartermaster/deferral';
import type { LedgerStore, RequestRecord } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { tapAnswer, type Tapped } from '../tap/tap.ts';
import type { Decision } from '../threads/decision.ts';
import { createBackground } from './background.ts';
import { type Booking, type Bookkeeper, createBookkeeper } from './book.ts';
import type { LedgerRequest, OpenedRequest } from './ledger-request.ts';
import { type LedgerStats, ledgerStats } from './stats.ts';
import { createSums, type SumName, type Sums } from './sums.ts';
import { createThreadUses, type ThreadUses } from './thread-uses.ts';
import { createWeigher } from './weigher.ts';
import { createLedgerWriter } from './writer.ts';

/** The ledger's view of one request under way. */
export interface LedgerEntry {
  /** RF6: the provider refused the rewritten request, and the original goes instead; nothing is booked for the round. */
  refused(): void;
  /** Listens to the answer that goes to the client. Call it once, when its headers have come. */
  answered(incoming: IncomingMessage): void;
}

/** The account of what deferral saved and what it cost (LE1–LE6). Nothing in it is waited for by a request. */
export interface Ledger {
  /** Reads what is believed of the provider's cache, so that a restart within its life is not taken for its end. */
  load(tenant: string): Promise<void>;
  /** Counts a new thread's decision (LE4). */
  decided(tenant: string, decision: Decision): void;
  projected(tenant: string, decision: Decision): void;
  count(tenant: string, name: 'bypasses' | 'flips'): void;
  open(request: LedgerRequest): LedgerEntry;
  stats(tenant: string): LedgerStats;
  /** Writes what is in memory; a failed write stays. */
  flush(): Promise<void>;
  /** Drops what is older than `beforeMs` (HI4) and what is over the store's bounds (FA5). */
  forgetBefore(beforeMs: number): Promise<void>;
  /** Resolves when the answers that have ended so far are booked and written. */
  settled(): Promise<void>;
}

export interface LedgerOptions {
  readonly store: LedgerStore | undefined;
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly isProjecting: boolean;
  readonly hasHoldout: boolean;
}

/** FA5. */
const maxQueued = 4_096;

export function createLedger(options: LedgerOptions): Ledger {
  const { clock, log } = options;
  const tenants = new Map<string, Account>();
  const weigher = createWeigher(options.countTokens);
  const writer = createLedgerWriter({ store: options.store, clock, log, maxQueued });
  const taps = new Map<IncomingMessage, Promise<void>>();
  let drops = 0;
  const background = createBackground({
    maxWaiting: maxQueued,
    onDrop(error) {
      drops += 1;
      if (error !== undefined) log.error({ error: nameOf(error) }, 'a request could not be booked');
    },
  });

  function accountOf(tenant: string): Account {
    const account = tenants.get(tenant) ?? createAccount();
    tenants.set(tenant, account);
    return account;
  }

  function add(tenant: string, name: SumName, amount: number): void {
    accountOf(tenant).sums.add(name, amount);
    writer.add(tenant, name, amount);
  }

  function book(request: LedgerRequest, opened: OpenedRequest, refusedRounds: number, tapped: Tapped): void {
    const { tenant } = request.conversation;
    const account = accountOf(tenant);
    background.push(async () => {
      const booking = await account.bookkeeper.close(opened, tapped);
      const wrongGuesses = guessedWrongly(account, request, tapped);
      for (const [name, amount] of amountsOf(request, booking, wrongGuesses)) add(tenant, name, amount);
      writer.write(recordOf(request, booking, { wrongGuesses, refusedRounds }));
    });
  }

  async function flush(): Promise<void> {
    await writer.flush();
    for (const [tenant, { bookkeeper }] of tenants) {
      const changed = bookkeeper.shadow.takeChanged().map((entry) => ({ tenant, ...entry }));
      // What is lost here is learned again from the next answers.
      if (changed.length > 0) await options.store?.saveCacheEntries(changed);
    }
  }

  return {
    async load(tenant) {
      const entries = (await options.store?.cacheEntries(tenant, clock.now())) ?? [];
      accountOf(tenant).bookkeeper.shadow.restore(entries);
    },
    decided(tenant, decision) {
      add(tenant, 'threads_decided', 1);
      if (decision.type === 'nothing') {
        add(tenant, `nothing:${decision.reason}`, 1);
        if (decision.reason === 'holdout') add(tenant, 'arm_holdout_threads', 1);
        return;
      }
      add(tenant, 'units_deferred', decision.units.length);
      add(tenant, 'tokens_deferred_o200k', decision.deferredTokensO200k);
      add(tenant, 'arm_deferred_threads', 1);
    },
    projected(tenant, decision) {
      add(tenant, 'projected_threads_decided', 1);
      if (decision.type === 'nothing') return;
      add(tenant, 'projected_units_deferred', decision.units.length);
      add(tenant, 'projected_tokens_deferred_o200k', decision.deferredTokensO200k);
    },
    count: (tenant, name) => add(tenant, name, 1),
    open(request) {
      const { bookkeeper } = accountOf(request.conversation.tenant);
      const startedAtMs = clock.now();
      let current = request;
      let refusedRounds = 0;
      return {
        refused() {
          refusedRounds += 1;
          add(request.conversation.tenant, 'refused_rounds', 1);
          current = { ...current, deferral: undefined };
        },
        answered(incoming) {
          const settled = current;
          const opened: OpenedRequest = {
            ...settled,
            startedAtMs,
            answeredAtMs: clock.now(),
            status: incoming.statusCode ?? 0,
          };
          background.push(() => bookkeeper.open(opened));
          const booked = tapAnswer(incoming).then((tapped) => {
            taps.delete(incoming);
            book(settled, opened, refusedRounds, tapped);
          });
          taps.set(incoming, booked);
        },
      };
    },
    stats: (tenant) =>
      ledgerStats(accountOf(tenant).sums, { ...options, queueDrops: drops + writer.drops() }),
    flush,
    async forgetBefore(beforeMs) {
      await writer.forgetBefore(beforeMs);
      await options.store?.deleteCacheEntriesEndedBefore(clock.now());
    },
    async settled() {
      const ended = [...taps].filter(([incoming]) => incoming.complete || incoming.destroyed);
      await Promise.all(ended.map(([, booked]) => booked));
      await background.idle();
      await flush();
    },
  };

  function createAccount(): Account {
    return { sums: createSums(), uses: createThreadUses(), bookkeeper: createBookkeeper({ weigher }) };
  }
}

/** What the ledger holds of one tenant; nothing of it is shared (law 8). */
interface Account {
  readonly sums: Sums;
  readonly uses: ThreadUses;
  readonly bookkeeper: Bookkeeper;
}

/** LE4: deferred tools that this thread used for the first time, by its transcript or in its answer. */
function guessedWrongly(account: Account, { conversation, deferral }: LedgerRequest, tapped: Tapped): number {
  const units = new Set(deferral?.decision.units);
  if (units.size === 0) return 0;
  const { session, agent, transcript } = conversation;
  const thread = JSON.stringify([session, agent]);
  const isDeferred = (name: string): boolean => units.has(unitOf(name));
  const called = tapped.type === 'told' ? [...tapped.facts.calls].filter(isDeferred) : [];
  const inTranscript = [...transcript.calledTools].filter(isDeferred);
  return (
    account.uses.noteTranscript(thread, inTranscript, !transcript.hasAssistantTurns) +
    account.uses.noteCalls(thread, called)
  );
}

/** What one request adds to the sums: realised and projected figures under names of their own (LE5). */
function amountsOf(
  request: LedgerRequest,
  booking: Booking,
  wrongGuesses: number,
): readonly (readonly [SumName, number])[] {
  const amounts = request.isProjection
    ? projectedAmounts(booking, wrongGuesses)
    : [...realisedAmounts(booking, wrongGuesses), ...armAmounts(request, booking)];
  return amounts.filter(([name, amount]) => amount !== 0 || isFigure(name));
}

/** A figure of 0 is known to be that; a count of 0 needs no row. */
function isFigure(name: SumName): boolean {
  return /_(tokens|usd)$/.test(name);
}

function realisedAmounts(booking: Booking, wrongGuesses: number): readonly (readonly [SumName, number])[] {
  const counts = [
    ['wrong_guesses', wrongGuesses],
    ['searches', booking.searches],
    ['dropped_searches', booking.droppedSearches],
    ['requests_unknown', booking.type === 'unknown' ? 1 : 0],
  ] as const;
  if (booking.type !== 'settled') return counts;
  const { netTokens, netUsd } = booking.settlement;
  return [...counts, ['net_tokens', netTokens], ['net_usd', netUsd], ['requests_booked', 1]];
}

function projectedAmounts(booking: Booking, wrongGuesses: number): readonly (readonly [SumName, number])[] {
  const counts = [
    ['projected_wrong_guesses', wrongGuesses],
    ['projected_searches', booking.searches],
    ['projected_requests_unknown', booking.type === 'unknown' ? 1 : 0],
  ] as const;
  if (booking.type !== 'settled') return counts;
  const { netTokens, netUsd } = booking.settlement;
  return [...counts, ['projected_tokens', netTokens], ['projected_usd', netUsd], ['projected_requests', 1]];
}

function armAmounts({ decision }: LedgerRequest, booking: Booking): readonly (readonly [SumName, number])[] {
  const arm = armOf(decision);
  if (arm === undefined || booking.type === 'not-billed') return [];
  if (booking.type !== 'settled') return [[`arm_${arm}_requests_unknown`, 1]];
  const { billed, billedUsd } = booking.settlement;
  return [
    [`arm_${arm}_requests`, 1],
    [`arm_${arm}_tokens`, sumPrompt(billed) + billed.outputTokens],
    [`arm_${arm}_usd`, billedUsd],
  ];
}

/** LE6. */
function armOf(decision: Decision | undefined): 'deferred' | 'holdout' | undefined {
  if (decision === undefined) return undefined;
  if (decision.type === 'defer') return 'deferred';
  return decision.reason === 'holdout' ? 'holdout' : undefined;
}

function recordOf(
  { conversation, decision, isProjection }: LedgerRequest,
  booking: Booking,
  counts: { readonly wrongGuesses: number; readonly refusedRounds: number },
): RequestRecord {
  const { tenant, session, agent, project, client, modelId } = conversation;
  const { usage } = booking;
  const known = booking.type === 'settled' ? booking.settlement : undefined;
  return {
    tenant,
    session,
    agent,
    project,
    client: client.id,
    model: modelId,
    atMs: booking.atMs,
    status: booking.status,
    decision: decision?.type ?? 'unreadable',
    reason: decision?.type === 'nothing' ? decision.reason : null,
    inputTokens: usage?.inputTokens ?? null,
    cacheReadTokens: usage?.cacheReadTokens ?? null,
    cacheWriteShortTokens: usage?.cacheWriteShortTokens ?? null,
    cacheWriteLongTokens: usage?.cacheWriteLongTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    costUsd: known?.billedUsd ?? null,
    netTokens: isProjection ? null : (known?.netTokens ?? null),
    netUsd: isProjection ? null : (known?.netUsd ?? null),
    projectedTokens: isProjection ? (known?.netTokens ?? null) : null,
    projectedUsd: isProjection ? (known?.netUsd ?? null) : null,
    searches: isProjection ? 0 : booking.searches,
    droppedSearches: booking.droppedSearches,
    ...counts,
    wrongGuesses: isProjection ? 0 : counts.wrongGuesses,
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
