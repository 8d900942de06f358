import type { Span } from './span.ts';

/** One member of an object: `span` runs from the key's opening quote to the end of the value. */
export interface Member {
  readonly span: Span;
  readonly value: Span;
}

/**
 * A `cache_control` member that holds an `ephemeral` mark; one that is `null` is told as absent (`setMember` finds
 * it). `ttl` is `5m` where the client names none; other texts are kept as they are.
 */
export interface CacheMark extends Member {
  readonly ttl: string;
}

/** What is known of one content block without parsing it whole. */
export interface ContentBlock {
  readonly span: Span;
  readonly type: string;
  readonly mark: CacheMark | undefined;
  /** `tool_use`, `server_tool_use`: the tool's name. */
  readonly name: string | undefined;
  /** `tool_use`, `server_tool_use`: its id; `*_result`: the id it answers. */
  readonly callId: string | undefined;
  /**
   * The tools that every `tool_reference` anywhere inside the block names, in order: by `tool_name` in results, by
   * `name` in `tool_addition` and `tool_removal`. What looks like one inside `input` or `input_schema` is data.
   */
  readonly references: readonly string[];
  /** `thinking` with a non-empty signature, or `redacted_thinking`: bound to the prefix before it on newer models. */
  readonly isSigned: boolean;
  /** Marks of nested blocks (a `tool_result`'s own content) and of a definition that is added inline, in order. */
  readonly nestedMarks: readonly CacheMark[];
  /** An `image`, or a block that holds one (a `tool_result`). */
  readonly holdsImage: boolean;
}

/**
 * The `content` of a message or the value of `system`. `string` is one text block spelled short: `blocks` holds
 * that block then, whose span is the string's own.
 */
export interface Content {
  readonly span: Span;
  readonly spelling: 'string' | 'blocks';
  readonly blocks: readonly ContentBlock[];
}

/** One entry of `messages`. */
export interface Message {
  readonly span: Span;
  readonly role: string;
  readonly content: Content;
  /** Whether it has a `clear_at` other than `never`: its text will not be rendered for ever. */
  readonly isTurnScoped: boolean;
}

/** One entry of `tools`. */
export interface ToolEntry {
  readonly span: Span;
  readonly name: string | undefined;
  /** `undefined` or `custom` is a client tool; others are the provider's own. */
  readonly type: string | undefined;
  readonly isDeferred: boolean;
  /** The `defer_loading` member where one stands, whatever its value. */
  readonly deferLoading: Member | undefined;
  readonly mark: CacheMark | undefined;
}

/** An array of the body, brackets included, with the outline of its items. */
export interface Items<Item> {
  readonly span: Span;
  readonly items: readonly Item[];
}

/**
 * The outline of the `tools` array that begins at `start` of `text`, where it was made of the very same characters
 * before (`moveTools` takes it to another place); `undefined` where it was not.
 */
export type KnownTools = (text: string, start: number) => Items<ToolEntry> | undefined;

/**
 * Where things stand in the body of an Anthropic Messages request.
 * Names, roles and ids are decoded; spans are positions in the text it was made from.
 */
export interface MessagesOutline {
  /** The body's object, braces included. */
  readonly span: Span;
  readonly model: string | undefined;
  readonly isStreaming: boolean;
  readonly metadataUserId: string | undefined;
  readonly toolChoice: { readonly type: string; readonly name: string | undefined } | undefined;
  /** Top-level `cache_control`. */
  readonly mark: CacheMark | undefined;
  readonly system: Content | undefined;
  readonly tools: Items<ToolEntry> | undefined;
  readonly messages: Items<Message> | undefined;
}

/**
 * Why a body was not outlined: it can't be edited safely and is to be forwarded as it came (RW8).
 * `duplicate-key`: a key that the outline reads stands twice in one object. `unknown-shape`: valid so far, but not
 * as the API documents it.
 */
export type OutlineRefusal = 'not-json' | 'duplicate-key' | 'unknown-shape';

/** An outline, or why there is none and at which character that was seen. */
export type OutlineResult =
  | { readonly type: 'outline'; readonly outline: MessagesOutline }
  | { readonly type: 'refused'; readonly reason: OutlineRefusal; readonly at: number };
