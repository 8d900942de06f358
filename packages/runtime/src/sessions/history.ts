import type {
  AssistantMessage,
  Message,
  TokenUsage,
  ToolCallPart,
  ToolMessage,
  ToolResult,
} from '@quartermaster/agent/messages';
import type { ToolDeferrals } from '@quartermaster/agent/deferral';
import type { ToolDeclaration } from '@quartermaster/providers';
import type { CallPlace } from '@quartermaster/store';
import type { LogItem, StoredMessage } from './item.ts';

/** What is known of the calls of a session: `undefined` for one that never began. */
export type FindCall = (place: CallPlace) => { readonly result: string | undefined } | undefined;

/** A message with what its item says of it. */
export interface HistoryEntry {
  readonly message: Message;
  readonly agent: string;
  /** Of the item that it is, or that it is derived from. */
  readonly position: number;
  readonly atMs: number;
  readonly usage: TokenUsage | undefined;
  /** Of an answer: what its prompt began with. */
  readonly beginning?: string | undefined;
  /** Of an answer: tools of a catalogue that it refers to, as they were declared then. */
  readonly found?: readonly ToolDeclaration[] | undefined;
}

/** What stands in the place of all messages before `firstKept` (RL3). */
export interface Summary {
  readonly position: number;
  readonly id: string;
  readonly text: string;
  readonly firstKept: string | undefined;
}

/** A session as it can be read. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  /** The newest. */
  readonly summary: Summary | undefined;
}

/**
 * The messages of a log. Each call has a result in the message after it, whatever ended the process that made it: the
 * stored one, or words that say what is known (L8). A pure function of the log over its whole length, so that the same
 * log gives the same bytes every time (cases 69 and 71).
 */
export function readHistory(items: readonly LogItem[], findCall: FindCall): History {
  return { entries: items.flatMap((item) => readEntries(item, findCall)), summary: findSummary(items) };
}

function readEntries(item: LogItem, findCall: FindCall): readonly HistoryEntry[] {
  const { id, position, atMs, body } = item;
  if (body?.type !== 'message') return [];
  const { agent, usage, beginning, found } = body;
  const entry = { message: { ...body.message, id }, agent, position, atMs, usage, beginning, found };
  const calls = callsOf(body.message);
  if (calls.length === 0) return [entry];
  const results: ToolMessage = {
    role: 'tool',
    id: resultsIdOf(id),
    results: calls.map((call, index) => readResult(call, findCall({ item: id, index }))),
  };
  return [entry, { message: results, agent, position, atMs, usage: undefined }];
}

/** The calls of a message in their order. */
export function callsOf(message: StoredMessage): readonly ToolCallPart[] {
  return message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [];
}

/** The id of the message with the results of an answer's calls. */
function resultsIdOf(answer: string): string {
  return `${answer}:results`;
}

/** What a call's row says; the row holds what `encodeResult` gave. */
export function readResult(
  { callId, name }: Pick<ToolCallPart, 'callId' | 'name'>,
  row: ReturnType<FindCall>,
): ToolResult {
  if (row === undefined) return { callId, name, outcome: 'not-started', text: notStarted };
  const known = row.result === undefined ? undefined : decodeResult(row.result);
  return { callId, name, ...(known ?? { outcome: 'interrupted', text: interrupted }) };
}

/** What is stored of a result: the rest stands in its call. */
type KnownResult = Pick<ToolResult, 'outcome' | 'text'>;

export function encodeResult({ outcome, text }: ToolResult): string {
  return JSON.stringify({ outcome, text } satisfies KnownResult);
}

/** A result that was damaged is one that is lost. */
function decodeResult(text: string): KnownResult | undefined {
  try {
    return JSON.parse(text) as KnownResult;
  } catch {
    return undefined;
  }
}

const notStarted = 'This call was not started.';
const interrupted =
  'This call was interrupted after it had begun, and its result is lost. Whether it had effects is unknown: ' +
  'look before you repeat it.';

function findSummary(items: readonly LogItem[]): Summary | undefined {
  const item = items.findLast(({ body }) => body?.type === 'summary');
  if (item?.body?.type !== 'summary') return undefined;
  const { text, firstKept } = item.body;
  return { id: item.id, position: item.position, text, firstKept };
}

/**
 * What a model is told of a history: all of it, or the newest summary and what was kept beside it. Thoughts from before
 * a summary, and from before its tools were declared anew, are left out: they are bound to a beginning that is no longer
 * sent.
 */
export function conversationOf(
  { entries, summary }: History,
  tools: Pick<ToolDeferrals, 'baseline' | 'startedAt'>,
): readonly HistoryEntry[] {
  const startedAt = entries.findIndex(({ message }) => message.id === tools.startedAt);
  const start = tools.baseline === undefined ? entries.length : startedAt;
  const bound = entries.map((entry, index) =>
    index < start || entry.position < (summary?.position ?? 0) ? withoutOldBeginning(entry) : entry,
  );
  if (summary === undefined) return bound.filter(saysAnything);
  return [summaryEntry(summary), ...keptEntries(bound, summary)].filter(saysAnything);
}

function keptEntries(
  entries: readonly HistoryEntry[],
  { position, firstKept }: Summary,
): readonly HistoryEntry[] {
  const start = entries.findIndex(({ message }) => message.id === firstKept);
  return start < 0 ? entries.filter((entry) => entry.position > position) : entries.slice(start);
}

function summaryEntry({ id, position, text }: Summary): HistoryEntry {
  const message: Message = {
    role: 'user',
    id,
    content: [{ type: 'text', text: `${summaryIntroduction}\n\n${text}` }],
  };
  return { message, agent: '', position, atMs: 0, usage: undefined };
}

const summaryIntroduction = 'The conversation so far was replaced by this summary of it:';

/** Neither its thoughts and searches nor the count of its tokens hold after another beginning. */
function withoutOldBeginning({ found: _, ...entry }: HistoryEntry): HistoryEntry {
  return { ...entry, message: withoutReasoning(entry.message), usage: undefined };
}

/**
 * The messages of a conversation in a prompt of this beginning, without thoughts that are bound to another. Under their
 * own they are sent again: what stood before them then stands there again.
 */
export function messagesUnder(beginning: string, conversation: readonly HistoryEntry[]): readonly Message[] {
  return conversation
    .map((entry) => {
      const isForeign = entry.beginning !== undefined && entry.beginning !== beginning;
      return isForeign ? { ...entry, message: withoutReasoning(entry.message) } : entry;
    })
    .filter(saysAnything)
    .map(({ message }) => message);
}

export function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') };
}

/** An answer without content is one that no provider takes back. */
function saysAnything({ message }: HistoryEntry): boolean {
  return message.role !== 'assistant' || message.content.length > 0;
}

/** The last words of the model in a conversation; empty where it said none since the user spoke. */
export function lastTextOf(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role !== 'tool');
  return last?.role === 'assistant' ? textOf(last) : '';
}

/** What an answer says, without its thoughts and calls. */
export function textOf({ content }: Pick<AssistantMessage, 'content'>): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
