import { isObject, objectsIn, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { renderBlock, renderDefinition } from './render-block.ts';
import { cacheLifeOf } from './request.ts';
import type { Block, CacheLife, Message, MessagesRequest } from './request.ts';

/** One thing the model reads, before runs are folded into positions. */
export interface Piece {
  readonly kind: 'tool' | 'system' | 'message';
  /** What makes two equal texts differ: role, block type, ids. Hashed, not counted. */
  readonly tag: string;
  /** Hashed and counted. */
  readonly text: string;
  /** Tokens that `text` does not show, such as an image's. */
  readonly extraTokens: number;
  readonly mark: CacheLife | undefined;
  /** Pieces of one run (calls, results) share a position. */
  readonly run: string | undefined;
  /** Whether a thinking block after it is bound to it. */
  readonly isBinding: boolean;
  /** The content block it renders, if it renders one. */
  readonly block: Block | undefined;
}

/** About what the API bills for a picture of a screen. */
const imageTokens = 1_600;

/**
 * What the model sees of a request, in render order (rule 7): loaded tools, system, messages. A deferred tool shows
 * nothing until a reference to it does, and then at that place, each time.
 */
export function renderPieces(request: MessagesRequest): readonly Piece[] {
  const tools = request.tools.filter((tool) => !tool.isDeferred);
  const pieces = [
    ...tools.map((tool) => toolPiece(tool.definition)),
    ...request.system.map((block) =>
      blockPiece(block, { kind: 'system', role: 'top', definitions: new Map() }),
    ),
    ...messagePieces(request),
  ];
  return withAutomaticMark(pieces, cacheLifeOf(request.body['cache_control']));
}

const emptyPiece = {
  text: '',
  extraTokens: 0,
  mark: undefined,
  run: undefined,
  isBinding: true,
  block: undefined,
};

function toolPiece(definition: JsonObject): Piece {
  const text = renderDefinition(definition);
  return { ...emptyPiece, kind: 'tool', tag: 'tool', text, mark: cacheLifeOf(definition['cache_control']) };
}

function messagePieces(request: MessagesRequest): readonly Piece[] {
  const deferred = request.tools.filter((tool) => tool.isDeferred);
  const definitions = new Map(deferred.map((tool) => [tool.name, tool.definition]));
  const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
  const strippedBefore = request.rules.stripsOldThinking ? lastPromptIndex(request.messages) : 0;
  return request.messages.flatMap((message, index) => {
    if (message.isTurnScoped && index < lastUser) return [];
    const shown = message.blocks.filter((block) => index >= strippedBefore || !isThinking(block));
    const place = { kind: 'message', role: message.role, definitions } as const;
    const pieces = shown.map((block) => blockPiece(block, place));
    const bound = message.isTurnScoped ? pieces.map((piece) => ({ ...piece, isBinding: false })) : pieces;
    return [...bound, ...effortPieces(message, request.rules.defaultEffort)];
  });
}

/** Where the newest user message stands that is more than tool results. */
function lastPromptIndex(messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => message.role === 'user' && message.blocks.some((block) => block.type !== 'tool_result'),
  );
}

function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** An explicit default effort renders like none. */
function effortPieces(message: Message, defaultEffort: string | undefined): readonly Piece[] {
  if (message.effort === undefined || message.effort === defaultEffort) return [];
  return [{ ...emptyPiece, kind: 'message', tag: `system:effort:${message.effort}` }];
}

interface Place {
  readonly kind: Piece['kind'];
  readonly role: string;
  /** The tools that a reference expands, by name. */
  readonly definitions: Map<string, JsonObject>;
}

function blockPiece(block: Block, place: Place): Piece {
  const { json, type } = block;
  const id = textOf(json['id'] ?? json['tool_use_id'] ?? json['signature']) ?? '';
  return {
    kind: place.kind,
    tag: `${place.role}:${type}:${id}:${json['is_error'] === true}`,
    text: renderBlock(json, type, place.definitions),
    extraTokens: countImages(json) * imageTokens,
    mark: markOf(json),
    run: type === 'tool_use' || type === 'tool_result' ? type : undefined,
    isBinding: !isThinking(block),
    block,
  };
}

/** A mark counts at the end of its block, also where it stands on a part of it. */
function markOf(json: JsonObject): CacheLife | undefined {
  const nested = json['type'] === 'tool_result' ? objectsIn(json['content']) : [];
  const target =
    isObject(json['tool']) && isObject(json['tool']['definition']) ? [json['tool']['definition']] : [];
  return [json, ...target, ...nested.toReversed()]
    .map((item) => cacheLifeOf(item['cache_control']))
    .find((life) => life !== undefined);
}

function countImages(json: JsonObject): number {
  const nested = json['type'] === 'tool_result' ? objectsIn(json['content']) : [];
  return [json, ...nested].filter((item) => item['type'] === 'image').length;
}

/** Top-level `cache_control`: the mark goes on the last block that can hold one. */
function withAutomaticMark(pieces: readonly Piece[], life: CacheLife | undefined): readonly Piece[] {
  if (life === undefined) return pieces;
  const last = pieces.findLastIndex(
    (piece) => piece.text !== '' && (piece.block === undefined || !isThinking(piece.block)),
  );
  return pieces.map((piece, index) => (index === last ? { ...piece, mark: piece.mark ?? life } : piece));
}
