import type { TurnOffRecord, TurnOffStore } from '@quartermaster/store';
import { setYoungest } from '../drop-oldest.ts';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';

/** For which models deferral is off for a tenant's new threads, after a proof that it broke a request (RF2). */
export interface TurnOffs {
  /** Reads a tenant's turn-offs. */
  load(tenant: string): Promise<void>;
  /** Begins one, or begins it anew. It is written in the background. */
  start(tenant: string, model: string): void;
  isOn(tenant: string, model: string): boolean;
  /** When the model's last turn-off ended, epoch ms; `-Infinity` where there was none, or it is still on (RF5). */
  endedAtMs(tenant: string, model: string): number;
  /** Writes what changed. A failed write stays to be done. */
  flush(): Promise<void>;
  /** Forgets those that began before `beforeMs`. */
  forgetStartedBefore(beforeMs: number): Promise<void>;
}

const turnOffHoldsMs = 86_400_000;
const maxPerTenant = 256;

/** By model, the oldest first. */
type Started = Map<string, number>;

/** In memory, bounded for each tenant (RF2), and written behind. */
export function createTurnOffs(options: {
  readonly store: TurnOffStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): TurnOffs {
  const { store, clock, log } = options;
  const tenants = new Map<string, Started>();
  const dirty = new Map<string, TurnOffRecord>();

  function startedBy(tenant: string): Started {
    const started = tenants.get(tenant) ?? new Map<string, number>();
    tenants.set(tenant, started);
    return started;
  }

  function keep({ tenant, model, startedAtMs }: TurnOffRecord): void {
    setYoungest(startedBy(tenant), model, startedAtMs, maxPerTenant);
  }

  /** How long ago it began; `undefined` where none did, or where a clock that jumped back can't tell. */
  function ageMs(tenant: string, model: string): number | undefined {
    const startedAtMs = tenants.get(tenant)?.get(model);
    if (startedAtMs === undefined) return undefined;
    const age = clock.now() - startedAtMs;
    return age < 0 ? undefined : age;
  }

  async function write(id: string, record: TurnOffRecord): Promise<void> {
    try {
      await store?.save(record);
      await store?.trim(record.tenant, maxPerTenant);
      if (dirty.get(id) === record) dirty.delete(id);
    } catch (error) {
      const facts = { model: record.model, error: nameOf(error) };
      log.warn(facts, 'a turn-off could not be written yet');
    }
  }

  async function flush(): Promise<void> {
    for (const [id, record] of dirty) await write(id, record);
  }

  return {
    async load(tenant) {
      for (const record of (await store?.load(tenant)) ?? []) {
        if (tenants.get(tenant)?.has(record.model) !== true) keep(record);
      }
    },
    start(tenant, model) {
      const record = { tenant, model, startedAtMs: clock.now() };
      const id = JSON.stringify([tenant, model]);
      keep(record);
      dirty.set(id, record);
      void write(id, record);
    },
    isOn(tenant, model) {
      const age = ageMs(tenant, model);
      return age !== undefined && age < turnOffHoldsMs;
    },
    endedAtMs(tenant, model) {
      const age = ageMs(tenant, model);
      return age === undefined || age < turnOffHoldsMs ? -Infinity : clock.now() - age + turnOffHoldsMs;
    },
    flush,
    async forgetStartedBefore(beforeMs) {
      for (const started of tenants.values()) {
        for (const [model, startedAtMs] of started) if (startedAtMs < beforeMs) started.delete(model);
      }
      await store?.deleteStartedBefore(beforeMs);
    },
  };
}
