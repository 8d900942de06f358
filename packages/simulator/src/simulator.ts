import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bill, SimulatedRequest } from './bill.ts';
import type { SimulatorOptions } from './options.ts';
import { serve } from './routes.ts';
import { createState } from './state.ts';

/**
 * A local fake of the Anthropic API that checks, renders, caches and bills like it. Rules and sections that the code
 * names (`rule 9`, `§1.13`) are those of the project's wire contract.
 */
export interface Simulator {
  /** For `http.createServer`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** The newest 10,000, oldest first. */
  requests(): readonly SimulatedRequest[];
  bill(): Bill;
  /** Forgets requests, bill, cache and which faults have happened. */
  reset(): void;
}

/**
 * Makes a simulator of the Messages API (`/v1/messages`, `/v1/messages/count_tokens`, `/v1/models`, `/api/hello`) and of
 * the model listings of OpenAI (`/v1/models` with a bearer token) and Gemini (`/v1beta/models`), with its record at `/_simulator/requests`. The prompt scripts the reply (see `findStep`); without a script the model
 * follows a plain instruction to call a tool, or says "ok".
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const state = createState(options);
  return {
    listener: (request, response) => void serve(state, request, response),
    requests: () => state.log.requests(),
    bill: () => state.log.bill(),
    reset: () => state.reset(),
  };
}
