import type { Model } from '@quartermaster/catalog';
import type { JsonObject } from '../../json.ts';

/** A function or custom tool that a Chat request declares. */
export interface ChatTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** The member `function` or `custom`. */
  readonly definition: JsonObject;
}

export interface ChatMessage {
  readonly role: string;
  readonly json: JsonObject;
}

/** A Chat request that every check has passed. */
export interface ChatRequest {
  readonly model: Model;
  readonly tools: readonly ChatTool[];
  readonly messages: readonly ChatMessage[];
  /** The whole body; its remaining members are read where they matter. */
  readonly body: JsonObject;
}
