import type { ToolRegistry, ToolGate } from '@quartermaster/agent';
import type { ServiceKey, Services } from '@quartermaster/agent/services';
import type { TokenUsage } from '@quartermaster/agent/messages';
import type { TurnEventContent } from '@quartermaster/agent/turns';
import type { LanguageModel } from '@quartermaster/providers';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
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
  /** Runs a call so that a hand-off in it finds this work. */
  within<Value>(run: () => Promise<Value>): Promise<Value>;
  /** The model in use, and what was done about its failures. */
  readonly progress: Progress;
}

/** What changes while an agent works. */
export interface Progress {
  model: LanguageModel;
  /** Those that are left to go on with. */
  fallbacks: readonly LanguageModel[];
  /** Whether room was made after an overflow: once in a turn. */
  hasMadeRoom: boolean;
  /** Whether a summary failed. */
  hasGivenUpCompacting: boolean;
}

/** The beginning: the agent's own model. */
export function beginProgress({ models: [model, ...fallbacks] }: RunnableAgent): Progress {
  return { model, fallbacks, hasMadeRoom: false, hasGivenUpCompacting: false };
}
