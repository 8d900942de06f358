import type { ToolRegistry, ToolGate } from '@quartermaster/agent';
import type { ServiceKey, Services } from '@quartermaster/agent/services';
import type { TokenUsage } from '@quartermaster/agent/messages';
import type { TurnEventContent } from '@quartermaster/agent/turns';
import type { Fallback, LanguageModel } from '@quartermaster/providers';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
import type { Toolbox } from '../agents/toolbox.ts';
import type { RuntimeLimits } from '../limits.ts';
import type { HeldSession } from '../sessions/held-session.ts';

/** One agent at work in one session, for one turn. */
export interface Work {
  readonly agent: RunnableAgent;
  readonly session: HeldSession;
  readonly registry: ToolRegistry;
  readonly gate: ToolGate;
  readonly limits: RuntimeLimits;
  /** Aborted by a cancel, and when the session was lost. */
  readonly signal: AbortSignal;
  /** Resolves when the reader has taken it. */
  readonly show: (event: TurnEventContent) => Promise<void>;
  /** Counts what an answer used; its session counts it by itself. */
  spend(usage: TokenUsage): void;
  /** What was said to the turn since it was asked last (RL5). */
  readonly takeSteering: () => readonly string[];
  createServices(keys: readonly ServiceKey[]): Partial<Services>;
  /** The agent's tools as they are now, with those that this session's model has added. */
  readonly openToolbox: () => Toolbox;
  /** Runs a call so that a hand-off in it finds this work. */
  within<Value>(run: () => Promise<Value>): Promise<Value>;
  /** The agent's, with its fallbacks behind it (R1). */
  readonly model: LanguageModel;
  readonly progress: Progress;
}

/** What changes while an agent works. */
export interface Progress {
  /** Tools whose change the turn has told of. */
  readonly outdated: Set<string>;
  /** Whether room was made after an overflow: once in a turn. */
  hasMadeRoom: boolean;
  /** Whether a summary failed. */
  hasGivenUpCompacting: boolean;
  /** Models that could not answer, and are not told of yet. */
  readonly fallbacks: Fallback[];
}
