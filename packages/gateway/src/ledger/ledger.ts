import type { IncomingMessage } from 'node:http';
import type { CacheEntryRecord, LedgerStore } from '@quartermaster/store';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import type { Tapped } from '../tap/tap.ts';
import type { Decision } from '../threads/decision.ts';
import { type Account, createAccount, guessedWrongly } from './account.ts';
import type { Page } from './book.ts';
import { type Amounts, amountsOf, decisionAmounts, projectedDecisionAmounts } from './amounts.ts';
import { createBackground } from './background.ts';
import type { ShadowEntry } from './cache-shadow.ts';
import type { LedgerRequest, OpenedRequest } from './ledger-request.ts';
import { type LedgerStats, ledgerStats } from './stats.ts';
import { recordOf } from './record.ts';
import type { SumName } from './sums.ts';
import { createTaps } from './taps.ts';
import { createLedgerWriter } from './writer.ts';

/** The ledger's view of one request under way. */
export interface LedgerEntry {
  /** RF6: the provider refused the rewritten request, and the original goes instead; nothing is booked for the round. */
  readonly refused: () => void;
  /** Listens to the answer that goes to the client. Call it once, when its headers have come. */
  readonly answered: (incoming: IncomingMessage) => void;
  /**
   * The same for an answer that the gateway reads itself (Q2, Q4), of which the provider may give several to one turn. What
   * it hands out is to be called once, with what they told together.
   */
  readonly relayed: (first: IncomingMessage) => (tapped: Tapped) => void;
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

/** What the ledger is kept with. */
export interface LedgerOptions {
  readonly store: LedgerStore | undefined;
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the tenant's requests are projected just now. */
  readonly isProjecting: (tenant: string) => boolean;
  readonly hasHoldout: boolean;
}

/** FA5. */
const maxQueued = 4_096;
/** What waits keeps its request alive. */
const bounds = { maxWaiting: maxQueued, maxWaitingBytes: 256 * 1024 ** 2 };

/** Works in the background, in order; what it can't keep up with is dropped and counted (FA5). */
export function createLedger(options: LedgerOptions): Ledger {
  const { clock, log } = options;
  const tenants = new Map<string, Account>();
  const writer = createLedgerWriter({ store: options.store, clock, log, maxQueued });
  const taps = createTaps();
  let drops = 0;
  const background = createBackground({
    ...bounds,
    onDrop(error) {
      drops += 1;
      if (error !== undefined) log.error({ error: nameOf(error) }, 'a request could not be booked');
    },
  });

  function accountOf(tenant: string): Account {
    const account = tenants.get(tenant) ?? createAccount(options.countTokens);
    tenants.set(tenant, account);
    return account;
  }

  function add(tenant: string, name: SumName, amount: number): void {
    accountOf(tenant).sums.add(name, amount);
    writer.add(tenant, name, amount);
  }

  function addAll(tenant: string, amounts: Amounts): void {
    for (const [name, amount] of amounts) add(tenant, name, amount);
  }

  async function book(
    request: OpenedRequest,
    page: Page | undefined,
    { tapped, refusedRounds }: { readonly tapped: Tapped; readonly refusedRounds: number },
  ): Promise<void> {
    const { tenant } = request.conversation;
    const account = accountOf(tenant);
    const booking = await account.bookkeeper.close(request, page, tapped);
    const wrongGuesses = guessedWrongly(account, request, tapped);
    addAll(tenant, amountsOf(request, booking, wrongGuesses));
    writer.write(recordOf(request, booking, { wrongGuesses, refusedRounds }));
  }

  /** Never rejects: at the gateway's end thread records are settled after it (O1). */
  function flush(): Promise<void> {
    return write().catch((error: unknown) => {
      log.warn({ error: nameOf(error) }, 'the ledger could not be written whole; it will be tried again');
    });
  }

  async function write(): Promise<void> {
    await writer.flush();
    for (const [tenant, { bookkeeper }] of tenants) {
      const changed = bookkeeper.shadow.takeChanged().map((entry) => toRow(tenant, entry));
      // What is lost here is learned again from the next answers.
      if (changed.length > 0) await options.store?.saveCacheEntries(changed);
    }
  }

  return {
    async load(tenant) {
      const entries = (await options.store?.cacheEntries(tenant, clock.now())) ?? [];
      accountOf(tenant).bookkeeper.shadow.restore(entries.flatMap(fromRow));
    },
    decided: (tenant, decision) => addAll(tenant, decisionAmounts(decision)),
    projected: (tenant, decision) => addAll(tenant, projectedDecisionAmounts(decision)),
    count: (tenant, name) => add(tenant, name, 1),
    open(request) {
      const { bookkeeper } = accountOf(request.conversation.tenant);
      const startedAtMs = clock.now();
      let current = request;
      let refusedRounds = 0;

      /** What is told of an answer is booked for the request as it was when that began. */
      function begin(incoming: IncomingMessage): (tapped: Tapped) => void {
        const answered = { answeredAtMs: clock.now(), status: incoming.statusCode ?? 0 };
        const opened: OpenedRequest = { ...current, startedAtMs, ...answered };
        const bytes = opened.conversation.text.length;
        let page: Page | undefined;
        background.push(async () => {
          page = await bookkeeper.open(opened);
        }, bytes);
        return (tapped) => background.push(() => book(opened, page, { tapped, refusedRounds }), bytes);
      }

      return {
        refused() {
          refusedRounds += 1;
          add(request.conversation.tenant, 'refused_rounds', 1);
          current = asOriginal(current);
        },
        answered: (incoming) => taps.listen(incoming, begin(incoming)),
        relayed: begin,
      };
    },
    stats: (tenant) => {
      const isProjecting = options.isProjecting(tenant);
      const counts = { ...options, isProjecting, queueDrops: drops + writer.drops() };
      return ledgerStats(accountOf(tenant).sums, counts);
    },
    flush,
    async forgetBefore(beforeMs) {
      await writer.forgetBefore(beforeMs);
      await options.store?.deleteCacheEntriesEndedBefore(clock.now());
    },
    async settled() {
      await taps.ended();
      await background.idle();
      await flush();
    },
  };
}

/** The request as its client sent it, which goes where the rewritten one was refused. */
function asOriginal({ removal: _, ...request }: LedgerRequest): LedgerRequest {
  return { ...request, deferral: undefined };
}

function toRow(tenant: string, { name, ...entry }: ShadowEntry): CacheEntryRecord {
  return { tenant, hash: String(name), ...entry };
}

/** Earlier versions named prefixes by hashes that say nothing here; what they left has ended within the hour. */
function fromRow({ hash, ...entry }: CacheEntryRecord): readonly ShadowEntry[] {
  const name = Number(hash);
  return Number.isSafeInteger(name) ? [{ ...entry, name }] : [];
}
