import {
  applyEdits,
  findItems,
  findMember,
  insertMember,
  replaceValue,
  type Span,
} from '@quartermaster/wire';
import { latin1Of, textOf } from '../latin1.ts';

/** One content block of an answer in the provider's own bytes. */
export interface AnswerBlock {
  readonly type: string;
  /** Of the tool, where the block calls one. */
  readonly name: string | undefined;
  /** Latin1 JSON: so much of the block as can be put together. */
  readonly json: string;
  /** Whether all of it has come, and in parts that can be put together. */
  readonly isWhole: boolean;
}

/** Puts the blocks of a streamed answer together. All texts are latin1 JSON. */
export interface AnswerContent {
  /** A block begins at the provider's `index`. */
  start(index: number, block: string): AnswerBlock;
  delta(index: number, delta: string): void;
  stop(index: number): void;
  /** The provider's next answer begins, whose indexes start anew. */
  nextAnswer(): void;
  /** In order, over all answers. */
  blocks(): readonly AnswerBlock[];
}

interface OpenBlock {
  readonly start: AnswerBlock;
  /** What was told of a member, in pieces: the insides of JSON strings, or the items of a list. */
  readonly pieces: Map<string, string[]>;
  isReadable: boolean;
  isStopped: boolean;
}

/** Holds the whole answer as it is told, for as long as the turn lasts. */
export function createAnswerContent(): AnswerContent {
  const all: OpenBlock[] = [];
  let open = new Map<number, OpenBlock>();

  return {
    start(index, block) {
      const started = readBlock(block);
      const opened = { start: started, pieces: new Map(), isReadable: true, isStopped: false };
      all.push(opened);
      open.set(index, opened);
      return started;
    },
    delta(index, delta) {
      const block = open.get(index);
      if (block !== undefined) addPiece(block, delta);
    },
    stop(index) {
      const block = open.get(index);
      if (block !== undefined) block.isStopped = true;
    },
    nextAnswer() {
      open = new Map();
    },
    blocks: () => all.map(putTogether),
  };
}

/** A block that came whole. */
export function readBlock(json: string): AnswerBlock {
  return {
    type: memberText(json, 'type') ?? '',
    name: memberText(json, 'name'),
    json,
    isWhole: true,
  };
}

/** The member's value as it stands there. */
export function memberOf(json: string, key: string): string | undefined {
  const span = findMember(wholeOf(json), json, key);
  return span === undefined ? undefined : json.slice(span.start, span.end);
}

/** The value in a text of JSON, white space around it left aside. */
export function wholeOf(json: string): Span {
  return { start: json.length - json.trimStart().length, end: json.trimEnd().length };
}

/** The member's value where it is a string, decoded. */
export function memberText(json: string, key: string): string | undefined {
  const value = memberOf(json, key);
  return value?.startsWith('"') === true ? stringOf(value) : undefined;
}

function stringOf(json: string): string {
  return String(JSON.parse(textOf(json)));
}

/** Where the pieces of each kind of delta belong, and under which key the delta has them. */
const deltaParts: Readonly<Record<string, { readonly key: string; readonly member: string }>> = {
  text_delta: { key: 'text', member: 'text' },
  thinking_delta: { key: 'thinking', member: 'thinking' },
  signature_delta: { key: 'signature', member: 'signature' },
  input_json_delta: { key: 'partial_json', member: 'input' },
  citations_delta: { key: 'citation', member: 'citations' },
};

function addPiece(block: OpenBlock, delta: string): void {
  const part = deltaParts[memberText(delta, 'type') ?? ''];
  const piece = part === undefined ? undefined : memberOf(delta, part.key);
  if (part === undefined || piece === undefined) {
    block.isReadable = false;
    return;
  }
  const pieces = block.pieces.get(part.member) ?? [];
  block.pieces.set(part.member, pieces);
  pieces.push(piece);
}

function putTogether({ start, pieces, isReadable, isStopped }: OpenBlock): AnswerBlock {
  const json = withMembers(start.json, pieces);
  return { ...start, json: json ?? start.json, isWhole: json !== undefined && isReadable && isStopped };
}

/** `undefined` where the pieces of a member make no value: the output's limit can cut an input off. */
function withMembers(start: string, pieces: OpenBlock['pieces']): string | undefined {
  let json = start;
  for (const [member, told] of pieces) {
    const before = findMember(wholeOf(json), json, member);
    const value = valueOf(member, before && json.slice(before.start, before.end), told);
    if (value === undefined) return undefined;
    const edit =
      before === undefined
        ? insertMember(wholeOf(json), json, `"${member}":${value}`)
        : replaceValue(before, value);
    json = applyEdits(json, [edit]);
  }
  return json;
}

function valueOf(member: string, before: string | undefined, pieces: readonly string[]): string | undefined {
  switch (member) {
    case 'input': {
      // Nothing told in all its pieces is the empty input that the block began with.
      const told = pieces.map(stringOf).join('');
      if (told === '') return before ?? '{}';
      return isJson(told) ? latin1Of(Buffer.from(told, 'utf8')) : undefined;
    }
    case 'citations': {
      const known = before?.startsWith('[') === true ? itemsOf(before) : [];
      return `[${[...known, ...pieces].join(',')}]`;
    }
    default: {
      const known = before?.startsWith('"') === true ? before.slice(1, -1) : '';
      return `"${known}${pieces.map((piece) => piece.slice(1, -1)).join('')}"`;
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function itemsOf(array: string): readonly string[] {
  const spans = findItems({ start: 0, end: array.length }, array);
  return spans.map(({ start, end }) => array.slice(start, end));
}
