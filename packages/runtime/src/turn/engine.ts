import type { ToolRegistry } from '@quartermaster/agent';
import type { Approvals } from '@quartermaster/agent/permissions';
import type { ServiceOptions } from '@quartermaster/agent/services';
import type { LanguageModel } from '@quartermaster/providers';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
import type { RuntimeLimits } from '../limits.ts';
import type { HoldOptions } from '../sessions/held-session.ts';
import type { HandOffs } from './hand-offs.ts';

/** What all turns of a started backend share; nothing in it belongs to a session. */
export interface Engine {
  readonly root: string;
  readonly agents: ReadonlyMap<string, RunnableAgent>;
  readonly registry: ToolRegistry;
  readonly approvals: Approvals;
  readonly handOffs: HandOffs;
  readonly services: Omit<ServiceOptions, 'session'>;
  /** Until when models that failed are passed over (epoch ms). */
  readonly restUntil: Map<LanguageModel, number>;
  readonly hold: HoldOptions;
  readonly limits: RuntimeLimits;
  /** The surface that its sessions begin on. */
  readonly origin: string;
}
