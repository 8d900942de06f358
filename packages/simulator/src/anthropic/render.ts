import { hash } from 'node:crypto';
import { isObject, objectsIn, textOf } from '../json.ts';
import { renderPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';
import type { Block, CacheLife, MessagesRequest } from './request.ts';
import type { TokenCounter } from '../token-counter.ts';

/** A place in the rendered prompt where the cache can begin to differ. */
export interface Position {
  readonly kind: 'head' | Piece['kind'];
  /** Of everything up to here. */
  readonly hash: string;
  /** Up to and including this position. */
  readonly tokens: number;
  readonly mark: CacheLife | undefined;
}

export interface RenderedPrompt {
  readonly positions: readonly Position[];
  readonly totalTokens: number;
  /** Tools and system: what a session's requests share. */
  readonly prefixTokens: number;
  /** What a thinking block at the end of this prompt is bound to. */
  readonly binding: string;
  /** What each block of the history is bound to, if it is a thinking block. */
  readonly bindings: ReadonlyMap<Block, string>;
}

/**
 * Renders a request to positions (rules 7 and 8). Two chains run over the same pieces: the cache's, which also holds
 * the model and the salts of the system and messages tiers, and the binding's, which holds the text alone and no
 * thinking (so that removing one block, the API's own remedy, leaves the later ones valid).
 */
export function renderPrompt(request: MessagesRequest, countTokens: TokenCounter): RenderedPrompt {
  const hasDeferred = request.tools.some((tool) => tool.isDeferred);
  const head = hasDeferred ? 'D' : '-';
  const pieces = renderPieces(request);
  const salts = { system: systemSalt(request), message: messageSalt(request) };
  const positions = foldPieces(pieces, {
    head: hash('sha256', `${request.model.id}\n${head}`),
    salts,
    countTokens,
  });
  const { binding, bindings } = bindPieces(pieces, hash('sha256', head));
  return {
    positions,
    totalTokens: positions.at(-1)?.tokens ?? 0,
    prefixTokens: positions.findLast((position) => position.kind !== 'message')?.tokens ?? 0,
    binding,
    bindings,
  };
}

function foldPieces(
  pieces: readonly Piece[],
  options: {
    readonly head: string;
    readonly salts: Readonly<Record<'system' | 'message', string>>;
    readonly countTokens: TokenCounter;
  },
): readonly Position[] {
  const { salts, countTokens } = options;
  const positions: Position[] = [{ kind: 'head', hash: options.head, tokens: 0, mark: undefined }];
  let chain = options.head;
  let tokens = 0;
  let previous: Piece | undefined;
  for (const piece of pieces) {
    if (piece.kind !== 'tool' && (previous === undefined || previous.kind === 'tool')) chain += salts.system;
    if (piece.kind === 'message' && previous?.kind !== 'message') chain += salts.message;
    chain = hash('sha256', `${chain}\n${piece.tag}\n${piece.text}`);
    tokens += countTokens(piece.text) + piece.extraTokens;
    const isRun = piece.run !== undefined && piece.run === previous?.run;
    const mark = piece.mark ?? (isRun ? positions.at(-1)?.mark : undefined);
    if (isRun) positions.pop();
    positions.push({ kind: piece.kind, hash: chain, tokens, mark });
    previous = piece;
  }
  return positions;
}

function bindPieces(pieces: readonly Piece[], head: string): Pick<RenderedPrompt, 'binding' | 'bindings'> {
  const bindings = new Map<Block, string>();
  let chain = head;
  for (const piece of pieces) {
    if (piece.isBinding) chain = hash('sha256', `${chain}\n${piece.tag}\n${piece.text}`);
    else if (piece.block !== undefined) bindings.set(piece.block, chain);
  }
  return { binding: chain, bindings };
}

/** Rule 8, system tier: web search, citations, speed. */
function systemSalt({ tools, body, messages }: MessagesRequest): string {
  const hasWebSearch = tools.some((tool) => String(tool.definition['type']).startsWith('web_search_'));
  const hasCitations = messages.some((message) =>
    message.blocks.some(
      (block) => isObject(block.json['citations']) && block.json['citations']['enabled'] === true,
    ),
  );
  return `[${hasWebSearch}|${hasCitations}|${textOf(body['speed']) ?? 'standard'}]`;
}

/** Rule 8, messages tier: tool_choice, thinking and effort, and whether there is any image. */
function messageSalt({ body, messages, rules }: MessagesRequest): string {
  const choice = isObject(body['tool_choice']) ? body['tool_choice'] : { type: 'auto' };
  const thinking = isObject(body['thinking']) ? body['thinking'] : {};
  const config = isObject(body['output_config']) ? body['output_config'] : {};
  const effort = textOf(config['effort']) ?? rules.defaultEffort;
  const hasImage = messages.some((message) =>
    message.blocks.some((block) =>
      [block.json, ...objectsIn(block.json['content'])].some((item) => item['type'] === 'image'),
    ),
  );
  return JSON.stringify([
    choice['type'],
    choice['name'],
    choice['disable_parallel_tool_use'] === true,
    thinking['type'],
    thinking['budget_tokens'],
    effort,
    hasImage,
  ]);
}
