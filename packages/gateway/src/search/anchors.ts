import { createHash, hash } from 'node:crypto';
import type { CacheMark, ContentBlock, Message, MessagesOutline } from '@quartermaster/wire';
import { objectOf } from '../json.ts';
import { textOf } from '../latin1.ts';
import { isSearchBlock, isThought } from '../relay/block-kinds.ts';
import { nameBlock } from './block-name.ts';

/**
 * By what an answer is found again in a later transcript: the id of a tool call that it made. One that made none is found
 * by all that stood before it and its own blocks; where its client has altered those, by what stood before it alone. A
 * search that the client was shown is found by its own id.
 */
export function callAnchor(callId: string): string {
  return `call ${callId}`;
}

/** Of a search that the client was shown: its own id. */
export function searchAnchor(callId: string): string {
  return `search ${callId}`;
}

/** Of an answer without a call: what stood before it, and the names of its blocks (`nameBlock`). */
export function wholeAnchor(chain: string, names: readonly string[]): string {
  return `${chain} ${hash('sha256', JSON.stringify(names), 'base64url')}`;
}

/** Whether an anchor may be of several answers: a client that asks twice is told the same twice. */
export function isShared(anchor: string): boolean {
  return anchor.startsWith(chainPrefix);
}

const chainPrefix = 'after ';

/** One turn of the model's in a transcript: messages of the assistant that follow each other. */
export interface AssistantRun {
  readonly blocks: readonly PlacedBlock[];
  /** The anchors that its answer may have, the surest first. */
  readonly anchors: readonly string[];
}

/** A block of a transcript. */
export interface PlacedBlock {
  /** Indexes of the message, and of the block in it. */
  readonly message: number;
  readonly index: number;
  readonly block: ContentBlock;
}

/** A transcript's turns, and the anchor of the answer that it asks for. */
export interface Transcribed {
  readonly runs: readonly AssistantRun[];
  readonly nextChain: string;
}

/** Reads the turns in one pass; of what stood before, marks and the two spellings of a text make no difference. */
export function transcribe(
  text: string,
  { system, messages }: Pick<MessagesOutline, 'system' | 'messages'>,
): Transcribed {
  const chain = createHash('sha256');
  // Programs of one user's may be greeted alike, and are answered alike.
  if (system !== undefined) addContent(chain, text, { role: 'system', content: system });
  const runs: AssistantRun[] = [];
  let open: OpenRun | undefined;
  const close = (): void => {
    if (open !== undefined) runs.push({ blocks: open.blocks, anchors: anchorsOf(text, open) });
    open = undefined;
  };
  for (const [index, message] of (messages?.items ?? []).entries()) {
    if (message.role === 'assistant') {
      open ??= { blocks: [], chain: chainOf(chain) };
      for (const [at, block] of message.content.blocks.entries()) {
        open.blocks.push({ message: index, index: at, block });
      }
    } else close();
    addContent(chain, text, message);
  }
  const nextChain = open?.chain ?? chainOf(chain);
  close();
  return { runs, nextChain };
}

interface OpenRun {
  readonly blocks: PlacedBlock[];
  readonly chain: string;
}

function anchorsOf(text: string, { blocks, chain }: OpenRun): readonly string[] {
  const calls = blocks.flatMap(({ block: { type, callId } }) =>
    type === 'tool_use' && callId !== undefined ? [callAnchor(callId)] : [],
  );
  if (calls.length > 0) return calls;
  const shown = blocks.filter(({ block }) => !isSearchBlock(block));
  const names = shown.map(({ block }) => nameIn(text, block));
  return [wholeAnchor(chain, names), chain];
}

/** A content that is spelled as a string is one text block. */
export function nameIn(text: string, { span }: ContentBlock): string {
  const json: unknown = JSON.parse(textOf(text.slice(span.start, span.end)));
  return nameBlock(typeof json === 'string' ? { type: 'text', text: json } : objectOf(json));
}

type Hash = ReturnType<typeof createHash>;

function chainOf(chain: Hash): string {
  return chainPrefix + chain.copy().digest('base64url');
}

/**
 * What tells a content from others, and stays as it is: ids where there are any, so that a client may clear an old result,
 * and no thought or search, since clients drop the ones and are not shown the others. An empty message is rendered as none.
 */
function addContent(chain: Hash, text: string, { role, content }: Pick<Message, 'role' | 'content'>): void {
  for (const block of content.blocks) {
    if (isSearchBlock(block) || isThought(block)) continue;
    chain.update(`\n${role} `);
    if (block.callId !== undefined) {
      chain.update(`${block.type} ${block.callId}`);
      continue;
    }
    if (content.spelling === 'string') chain.update('{"type":"text","text":');
    for (const piece of withoutMarks(text, block)) chain.update(piece, 'latin1');
    if (content.spelling === 'string') chain.update('}');
  }
}

/** The pieces of a block between its marks, each mark gone with one comma. */
function withoutMarks(text: string, { span, mark, nestedMarks }: ContentBlock): readonly string[] {
  const marks = [...(mark === undefined ? [] : [mark]), ...nestedMarks].toSorted(byPlace);
  const pieces: string[] = [];
  let at = span.start;
  let isCommaDue = false;
  const add = (end: number, isBeforeMark: boolean): void => {
    const piece = isCommaDue ? text.slice(at, end).replace(/^\s*,\s*/, '') : text.slice(at, end);
    const kept = isBeforeMark ? piece.replace(/,\s*$/, '') : piece;
    isCommaDue = isBeforeMark && kept === piece;
    pieces.push(kept);
  };
  for (const { span: marked } of marks) {
    add(marked.start, true);
    at = marked.end;
  }
  add(span.end, false);
  return pieces;
}

function byPlace(left: CacheMark, right: CacheMark): number {
  return left.span.start - right.span.start;
}
