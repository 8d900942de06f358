import type { OptOutRecord, OptOutStore } from '@quartermaster/store';
import { dropOldest } from '../drop-oldest.ts';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';

/** The sessions whose client does not want deferral (SG1, SG2). An opt-out speaks for new threads only (O7). */
export interface OptOuts {
  /** Reads a tenant's opt-outs. */
  load(tenant: string): Promise<void>;
  /** Stored with a session that was seen already; else it waits for the session's first request. Never rejects. */
  optOut(tenant: string, session: string): Promise<void>;
  /** A request of the session: takes what waits for it, and renews what it took (O10). */
  see(tenant: string, session: string): void;
  /** Also what another gateway on the same store was told. `undefined`: the store can't say within `waitMs`. */
  has(tenant: string, session: string, waitMs: number): Promise<boolean | undefined>;
  /** Writes what changed. A failed write stays to be done. */
  flush(): Promise<void>;
  /** Forgets sessions last used before `beforeMs`, and what has waited too long. */
  forgetUnusedSince(beforeMs: number): Promise<void>;
}

const maxPending = 64;
const pendingLapsesAfterMs = 86_400_000;

/** By session; in both maps the least lately used first. */
interface Tenant {
  readonly pending: Map<string, number>;
  readonly taken: Map<string, number>;
}

/** Without a store opt-outs live as long as the process. */
export function createOptOuts(options: {
  readonly store: OptOutStore | undefined;
  /** Whether a request of the session has come already. */
  readonly isSeen: (tenant: string, session: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}): OptOuts {
  const { store, isSeen, clock, log } = options;
  const tenants = new Map<string, Tenant>();
  const dirty = new Map<string, OptOutRecord>();

  function tenantOf(name: string): Tenant {
    const tenant = tenants.get(name) ?? { pending: new Map(), taken: new Map() };
    tenants.set(name, tenant);
    return tenant;
  }

  function keep({ tenant: name, session, isPending, usedAtMs }: OptOutRecord): void {
    const { pending, taken } = tenantOf(name);
    pending.delete(session);
    taken.delete(session);
    (isPending ? pending : taken).set(session, usedAtMs);
    dropOldest(pending, maxPending);
  }

  function save(record: OptOutRecord): void {
    keep(record);
    dirty.set(JSON.stringify([record.tenant, record.session]), record);
  }

  function take(tenant: string, session: string): void {
    save({ tenant, session, isPending: false, usedAtMs: clock.now() });
  }

  function isLapsed(askedAtMs: number): boolean {
    return clock.now() - askedAtMs >= pendingLapsesAfterMs;
  }

  async function flush(): Promise<void> {
    const records = [...dirty];
    if (records.length === 0) return;
    try {
      await store?.save(records.map(([, record]) => record));
      for (const tenant of new Set(records.map(([, record]) => record.tenant))) {
        await store?.trimPending(tenant, maxPending);
      }
      for (const [id, record] of records) if (dirty.get(id) === record) dirty.delete(id);
    } catch (error) {
      const facts = { sessions: records.length, error: nameOf(error) };
      log.warn(facts, 'opt-outs could not be written yet');
    }
  }

  function findInMemory(name: string, session: string): boolean {
    const tenant = tenants.get(name);
    if (tenant?.taken.has(session) === true) return true;
    const askedAtMs = tenant?.pending.get(session);
    return askedAtMs !== undefined && !isLapsed(askedAtMs);
  }

  /** What waits in the store is taken here as it would be from memory. */
  async function findInStore(tenant: string, session: string): Promise<boolean> {
    const record = await store?.find(tenant, session);
    if (record === undefined || (record.isPending && isLapsed(record.usedAtMs))) return false;
    take(tenant, session);
    return true;
  }

  return {
    async load(tenant) {
      for (const record of (await store?.load(tenant)) ?? []) {
        if (!record.isPending || !isLapsed(record.usedAtMs)) keep(record);
      }
    },
    async optOut(tenant, session) {
      const isPending = !isSeen(tenant, session) && tenants.get(tenant)?.taken.has(session) !== true;
      save({ tenant, session, isPending, usedAtMs: clock.now() });
      await flush();
    },
    see(name, session) {
      const tenant = tenants.get(name);
      const askedAtMs = tenant?.pending.get(session);
      const isTaken =
        tenant?.taken.has(session) === true || (askedAtMs !== undefined && !isLapsed(askedAtMs));
      if (isTaken) take(name, session);
      else tenant?.pending.delete(session);
    },
    async has(tenant, session, waitMs) {
      if (findInMemory(tenant, session)) return true;
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), waitMs);
      const reading = findInStore(tenant, session).catch(() => undefined);
      try {
        return await Promise.race([reading, late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
    flush,
    async forgetUnusedSince(beforeMs) {
      for (const { pending, taken } of tenants.values()) {
        for (const [session, askedAtMs] of pending) if (isLapsed(askedAtMs)) pending.delete(session);
        for (const [session, usedAtMs] of taken) if (usedAtMs < beforeMs) taken.delete(session);
      }
      await store?.deleteUnusedSince({ beforeMs, pendingBeforeMs: clock.now() - pendingLapsesAfterMs });
    },
  };
}
