/** A part of a Messages request that tests look at; everything else stays unread. */
export interface MessagesRequest {
  readonly model: string;
  readonly system: readonly ContentBlock[];
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolEntry[];
  /** Claude Code writes JSON into `user_id`. */
  readonly metadata?: { readonly user_id: string };
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly ContentBlock[];
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly cache_control?: object;
}

export interface ToolEntry {
  readonly name: string;
  readonly type?: string;
  readonly defer_loading?: boolean;
  readonly cache_control?: object;
}

export function parseRequest(body: string): MessagesRequest {
  return JSON.parse(body) as MessagesRequest;
}

/**
 * The bytes of a top-level value, as they stand in `body`.
 *
 * Finds the printed value again in the text, so it needs a compact body, which Claude Code sends: one that
 * is spelled otherwise is an error rather than a wrong answer.
 */
export function rawValue(body: string, key: keyof MessagesRequest): string {
  const printed = JSON.stringify(parseRequest(body)[key]);
  if (!body.includes(`"${key}":${printed}`)) {
    throw new Error(`The value of ${key} is not spelled as JSON.stringify spells it.`);
  }
  return printed;
}

/** Content as blocks, whichever way it is spelled. */
export function blocksOf(message: Message): readonly ContentBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

/** A conversation without what may move: marks, and the spelling of a single text. */
export function withoutMarks(messages: readonly Message[]): unknown[] {
  return messages.map((message) => ({
    ...message,
    content: blocksOf(message).map((block) => ({ ...block, cache_control: undefined })),
  }));
}

/** How much text around a place must be alike for it to be the same place. */
const window = 48;

/**
 * What `after` has and `before` lacks, in order. Throws unless `after` is `before` with insertions: taking
 * them out gives `before` back, byte for byte.
 */
export function insertions(before: string, after: string): string[] {
  const found: string[] = [];
  let at = 0;
  for (let kept = 0; kept < before.length || at < after.length;) {
    const alike = commonLength(before, kept, after, at);
    kept += alike;
    at += alike;
    if (kept === before.length && at === after.length) break;
    const next = kept === before.length ? after.length : after.indexOf(before.slice(kept, kept + window), at);
    if (next <= at) throw new Error(`Byte ${kept} of the request was changed, not only added to.`);
    found.push(after.slice(at, next));
    at = next;
  }
  return found;
}

function commonLength(left: string, leftStart: number, right: string, rightStart: number): number {
  let length = 0;
  while (leftStart + length < left.length && left[leftStart + length] === right[rightStart + length]) {
    length += 1;
  }
  return length;
}
