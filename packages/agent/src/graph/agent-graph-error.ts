import { AgentError } from '../agent-error.ts';

/** The agents do not form one tree, or a prompt is none (G2, G4). */
export class AgentGraphError extends AgentError {
  override readonly name = 'AgentGraphError';
  /** The names of those at fault; empty where there is no agent at all. */
  readonly agents: readonly string[];

  constructor(agents: readonly string[], message: string, options?: ErrorOptions) {
    super('AGENT_GRAPH', message, options);
    this.agents = agents;
  }
}
