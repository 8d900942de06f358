import type { NarrowOptions } from '../permissions/engine.ts';
import type { ToolReference } from '../tools/assembly.ts';

/**
 * What an agent is told: a text, or a function that makes it of the manager's settings, or of nothing. A parameter with
 * a default value that stands after the settings can't be told from none: it always has its default (G4).
 */
export type Prompt<Settings> = string | ((settings: Settings) => string);

/** An agent as an application describes it. */
export interface AgentConfig<Settings = unknown> {
  readonly name: string;
  /** When its parent should hand work to it. */
  readonly description?: string;
  readonly prompt: Prompt<Settings>;
  readonly tools?: readonly ToolReference[];
  /** Default: the settings' model. */
  readonly model?: string;
  /** Asked in this order where the model fails before it showed anything (R1). */
  readonly fallbackModels?: readonly string[];
  /** How often the model may be asked in one turn; the default is the engine's. */
  readonly maxIterations?: number;
  /** Narrows the rights of its parent, or for the root those of the run (P8). */
  readonly permissions?: NarrowOptions;
  /** The names of the agents that it hands work to. */
  readonly subAgents?: readonly string[];
}
