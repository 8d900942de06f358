/** What JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The wire forms in which a model is spoken to. */
export type ModelApi = 'anthropic-messages' | 'openai-responses' | 'openai-chat' | 'google-gemini';

/**
 * What one vendor wants back as it gave it: a signature, an encrypted reasoning, an item's id. It goes to that vendor's
 * API alone; any other gets the part without it, so that a fallback and the way back keep both prefixes (RP3).
 */
export interface ProviderData {
  readonly api: ModelApi;
  readonly data: JsonValue;
}

/** Words, of whoever's message it stands in. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerData?: ProviderData;
}

/** What the model thought before it spoke; `text` is empty where the vendor shows none of it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerData?: ProviderData;
}

/** A call that the model asks for. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unambiguous in its session: a vendor's id that is used a second time is stored under another one. */
  readonly callId: string;
  readonly name: string;
  /** As the model wrote it; the text itself where that is no JSON, which no input schema of an object accepts. */
  readonly input: JsonValue;
  readonly providerData?: ProviderData;
}

/** What a person, or a program for them, says. */
export interface UserMessage {
  readonly role: 'user';
  readonly id: string;
  readonly content: readonly TextPart[];
}

/** One answer of a model, whole. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly id: string;
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  /** Who answered. It is history: never rewritten when a model is gone. */
  readonly model: { readonly provider: string; readonly id: string };
  readonly stopReason: StopReason;
}

/**
 * Why a model stopped. `context-overflow`: the window was full before the answer was whole; an answer of which nothing
 * could be shown is an error instead. `other` is a reason that only its vendor knows.
 */
export type StopReason = 'end' | 'tool-calls' | 'max-tokens' | 'context-overflow' | 'refusal' | 'other';

/**
 * What came of one call. `interrupted`: it had begun, and whether it had an effect is unknown; `not-started`: it never
 * began (L8).
 */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly outcome:
    | 'completed'
    | 'failed'
    | 'denied'
    | 'invalid-input'
    | 'unknown-tool'
    | 'interrupted'
    | 'not-started';
  /** As the model reads it. */
  readonly text: string;
}

/** The results of all calls of the assistant message before it, in the order of the calls (RL2). */
export interface ToolMessage {
  readonly role: 'tool';
  readonly id: string;
  readonly results: readonly ToolResult[];
}

/** One message of a conversation, in no vendor's form. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Tokens in the vendor's own count; the classes never overlap, and `undefined` is "not told", which is not 0. */
export interface TokenUsage {
  /** Fresh input: neither read from nor written to a cache. */
  readonly inputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheWriteTokens: number | undefined;
  /** Reasoning included. */
  readonly outputTokens: number | undefined;
  /** List price in USD; `undefined` where no price is known. */
  readonly costUsd: number | undefined;
}
