import type { JsonObject } from './json.ts';

/** The APIs behind which the simulated model speaks. */
export type ApiName = 'messages' | 'responses' | 'chat' | 'gemini';

/** One turn of a conversation; what the system says and what a search finds are no turns. */
export interface Turn {
  /** The user's, or the tools' answer in the user's place; otherwise the model's. */
  readonly isUser: boolean;
  /** What the user or the model wrote, a line a block; empty for calls and results. */
  readonly text: string;
}

/** What the simulated model looks at before it decides what to say, the same for every API. */
export interface Conversation {
  readonly api: ApiName;
  /** As asked. */
  readonly model: string;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** The last text of the newest turn where that is the user's own, else empty: a tool's result is no instruction. */
  readonly prompt: string;
  /** The client's tools, also those that still wait to be loaded: the schema of the arguments by name. */
  readonly tools: ReadonlyMap<string, JsonObject>;
  /** The tool that the request forces. */
  readonly forcedTool: string | undefined;
}
