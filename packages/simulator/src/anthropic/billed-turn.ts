import type { TokenCounts } from '@quartermaster/catalog';
import type { InputSplit } from './usage.ts';
import { termsOf, usageJson } from './usage.ts';
import { isObject, objectsIn, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { defaultThought } from '../thought.ts';
import type { ModelTurn } from './model-turn.ts';
import { renderDefinition } from './render-block.ts';
import type { MessagesRequest } from './request.ts';
import type { TokenCounter } from '../token-counter.ts';

/** A finished answer with what it costs. */
export interface BilledTurn {
  /** The whole message, as the JSON reply has it. */
  readonly message: JsonObject;
  readonly blocks: readonly JsonObject[];
  /** Usage at the start of a stream: the first sampling's input. */
  readonly firstUsage: JsonObject;
  readonly usage: JsonObject;
  readonly tokens: TokenCounts;
}

/**
 * Bills a turn (rules 11 and 12). A server search ends one sampling and begins another within the same response. The
 * later sampling goes on where the earlier one stopped: it is billed for what is new to it, which is the search
 * result with the definitions it expands, as plain input; nothing is read from the cache twice, and the calls
 * themselves are output. `usage` is the sum, `usage.iterations` has the parts. In the next request the same
 * definitions stand in the history and are written to the cache like any new text.
 */
export function billTurn(
  turn: ModelTurn,
  options: {
    readonly request: MessagesRequest;
    readonly split: InputSplit;
    readonly countTokens: TokenCounter;
    readonly id: string;
    readonly extra: JsonObject;
  },
): BilledTurn {
  const { request, split, countTokens } = options;
  const iterations = samplings(turn).map((blocks, index, all): TokenCounts => {
    const before = index === 0 ? undefined : all[index - 1]?.at(-1);
    const input =
      before === undefined
        ? split.tokens
        : { ...noInput, inputTokens: countTokens(expandedResult(before, request)) };
    return { ...input, outputTokens: sum(blocks.map((block) => outputTokens(block, countTokens))) };
  });
  const tokens = iterations.reduce(addCounts);
  const thought = sum(
    turn.blocks
      .filter((block) => block['type'] === 'thinking')
      .map((block) => outputTokens(block, countTokens)),
  );
  const terms = termsOf(request.body);
  const usage = usageJson(tokens, {
    terms,
    iterations,
    ...(thought > 0 ? { thinkingTokens: thought } : {}),
  });
  return {
    message: {
      id: options.id,
      type: 'message',
      role: 'assistant',
      model: request.body['model'],
      content: turn.blocks,
      stop_reason: turn.stopReason,
      stop_sequence: null,
      usage,
      ...options.extra,
    },
    blocks: turn.blocks,
    firstUsage: usageJson({ ...split.tokens, outputTokens: 1 }, { terms }),
    usage,
    tokens,
  };
}

const noInput = { inputTokens: 0, cacheReadTokens: 0, cacheWriteShortTokens: 0, cacheWriteLongTokens: 0 };

/** The blocks of each sampling; one ends with each search result, and a paused turn has none after its last. */
function samplings(turn: ModelTurn): readonly (readonly JsonObject[])[] {
  const parts: JsonObject[][] = [[]];
  for (const block of turn.blocks) {
    parts.at(-1)?.push(block);
    if (block['type'] === 'tool_search_tool_result') parts.push([]);
  }
  return turn.stopReason === 'pause_turn' && parts.at(-1)?.length === 0 ? parts.slice(0, -1) : parts;
}

/** A search result as the next sampling reads it. */
function expandedResult(block: JsonObject, { tools }: MessagesRequest): string {
  const content = isObject(block['content']) ? block['content'] : {};
  if (!Array.isArray(content['tool_references'])) return JSON.stringify(content);
  return objectsIn(content['tool_references'])
    .map((reference) => {
      const name = textOf(reference['tool_name']) ?? '';
      const tool = tools.find((item) => item.name === name && item.isDeferred);
      return tool === undefined ? name : `${name} ${renderDefinition(tool.definition)}`;
    })
    .join('\n');
}

/** Thinking costs what was thought, shown or not; results are not the model's output. */
function outputTokens(block: JsonObject, countTokens: TokenCounter): number {
  switch (block['type']) {
    case 'text':
      return countTokens(String(block['text']));
    case 'thinking':
      return countTokens(textOf(block['thinking']) || defaultThought);
    case 'tool_use':
    case 'server_tool_use':
      return countTokens(`${String(block['name'])} ${JSON.stringify(block['input'])}`);
    default:
      return 0;
  }
}

function addCounts(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteShortTokens: a.cacheWriteShortTokens + b.cacheWriteShortTokens,
    cacheWriteLongTokens: a.cacheWriteLongTokens + b.cacheWriteLongTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
