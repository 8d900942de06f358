import { createHash } from 'node:crypto';
import type { CacheMark, ContentBlock, Message, MessagesOutline } from '@quartermaster/wire';

/**
 * By what an answer is found again in a later transcript: the id of a tool call that it made, and where it made none, all
 * that stood before it. A search that the client was shown is found by its own id.
 */
export function callAnchor(callId: string): string {
  return `call ${callId}`;
}

export function searchAnchor(callId: string): string {
  return `search ${callId}`;
}

/** One turn of the model's in a transcript: messages of the assistant that follow each other. */
export interface AssistantRun {
  readonly blocks: readonly PlacedBlock[];
  /** Of everything before it. */
  readonly chain: string;
}

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

/** Reads the turns in one pass; marks and the two spellings of a text make no difference. */
export function transcribe(text: string, { messages }: MessagesOutline): Transcribed {
  const hash = createHash('sha256');
  const runs: AssistantRun[] = [];
  let open: { readonly blocks: PlacedBlock[]; readonly chain: string } | undefined;
  for (const [index, message] of (messages?.items ?? []).entries()) {
    if (message.role === 'assistant') {
      if (open === undefined) runs.push((open = { blocks: [], chain: chainOf(hash) }));
      for (const [at, block] of message.content.blocks.entries()) {
        open.blocks.push({ message: index, index: at, block });
      }
    } else open = undefined;
    addMessage(hash, text, message);
  }
  return { runs, nextChain: open?.chain ?? chainOf(hash) };
}

/** The anchors that a run may be found by. */
export function anchorsOf({ blocks, chain }: AssistantRun): readonly string[] {
  const calls = blocks.flatMap(({ block: { type, callId } }) =>
    type === 'tool_use' && callId !== undefined ? [callAnchor(callId)] : [],
  );
  return [...calls, chain];
}

type Hash = ReturnType<typeof createHash>;

function chainOf(hash: Hash): string {
  return `after ${hash.copy().digest('base64url')}`;
}

/** An empty message is rendered as none. */
function addMessage(hash: Hash, text: string, { role, content }: Message): void {
  for (const block of content.blocks) {
    hash.update(`\n${role} `);
    if (content.spelling === 'string') hash.update('{"type":"text","text":');
    for (const piece of withoutMarks(text, block)) hash.update(piece, 'latin1');
    if (content.spelling === 'string') hash.update('}');
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
