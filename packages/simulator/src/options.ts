import type { Catalog } from '@quartermaster/catalog';
import type { SimulatedRequest } from './bill.ts';
import type { SimulatorMode } from './anthropic/neighbour.ts';
import type { Conversation } from './conversation.ts';
import type { ScriptStep } from './script-step.ts';

/** What a simulator is made of; nothing else reaches it. */
export interface SimulatorOptions {
  /** Models, prices, minimums and capabilities. */
  readonly catalog: Catalog;
  /** Epoch ms; the lives of cache entries go by it. */
  readonly clock: { now(): number };
  /** Tokens of a text in o200k or by length; multiplied by the model's `billedPerO200k` and rounded, per position. */
  readonly countTokens: (text: string) => number;
  /** Whether thinking blocks are verified, and bound on the models that bind them. */
  readonly binding: boolean;
  /** The part of an id after its prefix; random by default. */
  readonly ids?: () => string;
  /** Windows other than the catalog's, in tokens by model id: a small one makes a prompt overflow. */
  readonly contextTokens?: Readonly<Record<string, number>>;
  /**
   * Asked first what the model answers; `undefined` leaves it to the prompt. Called once per request that the API
   * accepts. Must not throw.
   */
  readonly script?: (conversation: Conversation) => ScriptStep | undefined;
  /** Of the Messages API: `faithful` by default; read at each request, so that an upstream can change its mind. */
  readonly mode?: SimulatorMode;
  /** Called once per request with its record and the bytes that came, content decoding done. Must not throw. */
  readonly onRequest?: (request: SimulatedRequest, body: Buffer) => void;
}
