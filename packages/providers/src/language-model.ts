import type {
  AssistantMessage,
  JsonValue,
  Message,
  ModelApi,
  TokenUsage,
} from '@quartermaster/agent/messages';
import type { CallPosition, LoadPoint } from '@quartermaster/deferral';

/** A tool as a model is told of it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: { readonly [key: string]: JsonValue };
  /** Where in the conversation it enters, for life; left out of a tool that was there from the start. */
  readonly entersAt?: LoadPoint;
  /** It stands in a catalogue that only a model's own search reaches: others are not told of it (D4). */
  readonly isSearchOnly?: boolean;
  /** It is there in place of a search of the model's own: those that search by themselves are not told of it. */
  readonly standsInForSearch?: boolean;
}

/** One question to a model. */
export interface ModelRequest {
  readonly system: string;
  /** Valid as a conversation: each call has its result in the message after it. */
  readonly messages: readonly Message[];
  /** In the order in which they are declared: those that were there from the start, then the late ones as they came. */
  readonly tools: readonly ToolDeclaration[];
  /** Whether tools may come later; the same for a conversation's life, since it shapes the prompt's start (D11). */
  readonly mayGrow?: boolean;
  /** Default: as many as the model can. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoning?: 'off' | 'low' | 'medium' | 'high';
  /** The form that the answer's text must have. */
  readonly structuredOutput?: {
    readonly name: string;
    readonly schema: { readonly [key: string]: JsonValue };
  };
  /** Names the conversation for the vendor's cache routing; the same for its whole life. */
  readonly cacheKey?: string;
}

/** What a model says, as it says it. A stream ends with `finished` or throws `ModelError`. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'finished';
      /** Whole; ids of calls are the vendor's, `id` is the caller's to give. */
      readonly message: Omit<AssistantMessage, 'id'>;
      readonly usage: TokenUsage;
      /**
       * Names of the tools of a catalogue that its own search has found, where what it keeps of them in `message` refers to
       * their declarations: whoever sends that back declares them as they were (case 17).
       */
      readonly found?: readonly string[];
    };

/** Where a model takes a tool without a change to what was sent before (D10). */
export type LateToolPlaces = CallPosition['lateTools'];

/** One model of one vendor (RP2). */
export interface LanguageModel {
  readonly provider: string;
  readonly id: string;
  readonly api: ModelApi;
  /** Tokens that prompt and answer may have together; `undefined` where unknown. */
  readonly contextTokens: number | undefined;
  readonly lateTools: LateToolPlaces;
  /** Whether it searches a catalogue by itself. */
  readonly searchesTools: boolean;
  /** Retries alone are in here, and none once an event was given (R1). Throws `ModelError`. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>;
}
