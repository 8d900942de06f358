import type { AccountSettings } from './account/settings.ts';
import type { Decider } from './decide.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRequest } from './ledger/ledger-request.ts';
import { createProjector } from './ledger/projector.ts';
import type { MessagesPlan } from './plan.ts';
import type { RewriteShape } from './rewrite/anthropic.ts';

type PlanOf<Type extends MessagesPlan['type']> = Extract<MessagesPlan, { readonly type: Type }>;

/** A plan before the ledger has its entry; what was edited tells how. */
export type Carried =
  | PlanOf<'unchanged' | 'wait'>
  | Omit<PlanOf<'resolved'>, 'entry'>
  | Omit<PlanOf<'unreadable'>, 'entry'>
  | Omit<PlanOf<'prefix-lost'>, 'entry'>
  | (Omit<PlanOf<'edited'>, 'entry'> & { readonly shape: RewriteShape });

/** Opens the ledger's entry for whatever goes upstream; in `observe` with what would have been done to it. */
export type Booking = (
  carried: Carried,
  about: Pick<LedgerRequest, 'conversation' | 'decision'>,
  settings: AccountSettings,
) => MessagesPlan;

/** Entries are opened in the ledger given; nothing is kept here. */
export function createBooking({
  projectingDecider,
  ledger,
}: {
  /** For what `observe` projects: the same rule over plans of its own. */
  readonly projectingDecider: Decider;
  readonly ledger: Ledger;
}): Booking {
  const projector = createProjector({ decider: projectingDecider, ledger });
  return (carried, about, { preset, toolfilter }) => {
    if (carried.type === 'wait') return carried;
    if (carried.type === 'edited') {
      const { shape, ...plan } = carried;
      const { decision } = plan;
      const deferral =
        decision.type === 'defer' && shape.deferral !== undefined
          ? { decision, shape: shape.deferral }
          : undefined;
      const { removal } = shape;
      return { ...plan, entry: ledger.open({ ...about, deferral, removal, isProjection: false }) };
    }
    // `off` keeps counters only.
    if ((carried.type === 'unchanged' || carried.type === 'resolved') && preset === 'off') return carried;
    const isProjection = preset === 'observe';
    const deferral = isProjection ? projector.project(about.conversation, toolfilter.keep) : undefined;
    return { ...carried, entry: ledger.open({ ...about, deferral, isProjection }) };
  };
}
