import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bill, SimulatedRequest } from './bill.ts';
import type { SimulatorOptions } from './options.ts';
import { serve } from './routes.ts';
import { createState } from './state.ts';

/**
 * A local fake of the APIs of Anthropic, OpenAI and Google that checks, renders, caches and bills like them. Rules and
 * sections that the code names (`rule 9`, `§1.13`) are those of the project's wire contract.
 */
export interface Simulator {
  /** For `http.createServer`; one server serves all APIs. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** The newest 10,000, oldest first. */
  requests(): readonly SimulatedRequest[];
  bill(): Bill;
  /** Forgets requests, bill, cache and which faults have happened. */
  reset(): void;
}

/**
 * Makes a simulator of the Messages API (`/v1/messages`, `/v1/messages/count_tokens`), of OpenAI's Responses and Chat
 * Completions (`/v1/responses`, `/v1/chat/completions`) and of Gemini (`/v1beta/models/{model}:generateContent`,
 * `:streamGenerateContent`, `:countTokens`), with the listings of their models and its own record at
 * `/_simulator/requests`. `options.script` or the prompt scripts the reply (see docs/simulator.md); without a script the
 * model follows a plain instruction to call a tool, or says "ok".
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
