import type { Catalog } from '@quartermaster/catalog';
import type { SimulatedRequest } from './bill.ts';
import type { SimulatorMode } from './neighbour.ts';

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
  /** `faithful` by default; read at each request, so that an upstream can change its mind. */
  readonly mode?: SimulatorMode;
  /** Called once per request with its record and the bytes that came, content decoding done. Must not throw. */
  readonly onRequest?: (request: SimulatedRequest, body: Buffer) => void;
}
