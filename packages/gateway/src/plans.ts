import { createHash } from 'node:crypto';
import { unitOf } from '@quartermaster/deferral';
import type { PlanRecord, PlanStore } from '@quartermaster/store';
import { nameOf } from './errors.ts';
import type { Conversation } from './conversation/read.ts';
import { detach } from './latin1.ts';
import type { Clock, Log } from './options.ts';
import { setYoungest } from './drop-oldest.ts';

/**
 * Keeps what new conversations of one kind defer steady for a day, so that sessions which start within a cache's life
 * share one prefix (O9). Within the day a plan only shrinks.
 */
export interface Plans {
  /** Reads a tenant's plans; until then every conversation makes its own. */
  load(tenant: string): Promise<void>;
  /** What a new conversation defers, given what the rule allows it now: never more than that. */
  unitsFor(conversation: Conversation, ruled: readonly string[]): readonly string[];
  /** A use takes the tool's unit out of the tenant's plans at once. */
  takeOut(tenant: string, usedTools: readonly string[]): void;
  /** Writes what changed. A failed write stays to be done. */
  flush(): Promise<void>;
}

const planHoldsMs = 86_400_000;
/** A kind of conversation costs one entry; the oldest plans give way. */
const maxPlans = 10_000;

/** Without a store plans live as long as the process. */
export function createPlans(options: {
  readonly store: PlanStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Plans {
  const { store, clock, log } = options;
  const plans = new Map<string, PlanRecord>();
  const dirty = new Set<string>();

  function keep(id: string, plan: PlanRecord): void {
    setYoungest(plans, id, plan, maxPlans);
    dirty.add(id);
  }

  /** An empty plan is none: what the rule forbids today it may allow in an hour. */
  function isCurrent({ units, madeAtMs }: PlanRecord): boolean {
    const ageMs = clock.now() - madeAtMs;
    return units.length > 0 && ageMs >= 0 && ageMs < planHoldsMs;
  }

  function shrink(id: string, plan: PlanRecord, isKept: (unit: string) => boolean): readonly string[] {
    const units = plan.units.filter(isKept);
    if (units.length !== plan.units.length) keep(id, { ...plan, units });
    return units;
  }

  return {
    async load(tenant) {
      for (const plan of (await store?.load(tenant)) ?? []) plans.set(idOf(plan), plan);
    },
    unitsFor(conversation, ruled) {
      const { tenant } = conversation;
      const fingerprint = kindOf(conversation);
      const id = idOf({ tenant, fingerprint });
      const plan = plans.get(id);
      if (plan !== undefined && isCurrent(plan)) return shrink(id, plan, (unit) => ruled.includes(unit));
      if (ruled.length > 0)
        keep(id, { tenant, fingerprint, units: ruled.map(detach), madeAtMs: clock.now() });
      return ruled;
    },
    takeOut(tenant, usedTools) {
      if (usedTools.length === 0) return;
      const used = new Set(usedTools.map(unitOf));
      for (const [id, plan] of plans) {
        if (plan.tenant === tenant) shrink(id, plan, (unit) => !used.has(unit));
      }
    },
    async flush() {
      const due = [...dirty];
      dirty.clear();
      for (const id of due) {
        const plan = plans.get(id);
        if (plan === undefined) continue;
        await store?.save(plan).catch((error: unknown) => {
          dirty.add(id);
          log.warn({ error: nameOf(error) }, 'a plan could not be written yet');
        });
      }
    },
  };
}

/** Conversations of one kind could share a prefix: same project, client, model and declared tools. */
function kindOf({ project, client, modelId, outline }: Conversation): string {
  const names = (outline.tools?.items ?? []).map(({ name }) => name ?? '');
  return createHash('sha256')
    .update(JSON.stringify([project, client.id, modelId, names]))
    .digest('hex');
}

function idOf({ tenant, fingerprint }: Pick<PlanRecord, 'tenant' | 'fingerprint'>): string {
  return JSON.stringify([tenant, fingerprint]);
}
