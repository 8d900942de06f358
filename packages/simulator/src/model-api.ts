import type { RequestCost } from '@quartermaster/catalog';
import type { RequestDraft } from './bill.ts';
import type { Conversation } from './conversation.ts';
import type { EventStream } from './event-stream.ts';
import type { Declared, Exchange } from './exchange.ts';
import type { Fault } from './faults.ts';
import type { JsonObject } from './json.ts';
import type { Step } from './script.ts';
import type { SimulatorState } from './state.ts';

/** One API behind which the simulated model speaks: how it reads a body, and how it says an answer. */
export interface ModelApi {
  /** What a body declares, for the record; `json` may be anything. Must not throw. */
  declare(json: unknown, exchange: Exchange): Declared;
  /** Everything that happens before the model is asked; throws the `ApiError` that the API refuses with. */
  understand(state: SimulatorState, exchange: Exchange, json: unknown): Understood;
}

/** A request that was understood. */
export type Understood = CountedTokens | AskedTurn;

/** A request that asks for nothing of the model. */
interface CountedTokens {
  readonly type: 'count';
  readonly record: Partial<RequestDraft>;
  readonly body: JsonObject;
}

/** A request for the model's next turn. */
export interface AskedTurn {
  readonly type: 'turn';
  /** What the record knows before the model has spoken. */
  readonly record: Partial<RequestDraft>;
  readonly conversation: Conversation;
  readonly isStream: boolean;
  /** Of the answer, beside the request's id. */
  readonly headers: Readonly<Record<string, string>>;
  /** Says a step in the API's shape and bills it; called once. */
  say(step: Step, fault: Fault | undefined): Reply;
}

/** A finished answer with what it costs. */
export interface Reply {
  /** The whole answer in one piece. */
  readonly body: JsonObject;
  readonly usage: JsonObject;
  /** `null` where no price of the model is known. */
  readonly cost: RequestCost | null;
  /** The same answer in pieces, with what the fault does to them. */
  stream(): EventStream;
  /** Called just before the first byte of the answer leaves (rule 10). */
  onFirstByte(): void;
}
