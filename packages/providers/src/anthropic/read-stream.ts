import type { RawContentBlockDelta, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage, JsonValue, StopReason } from '@quartermaster/agent/messages';
import { mergeAnthropicUsage, readAnthropicUsage } from '@quartermaster/wire';
import type { Usage } from '@quartermaster/wire';
import type { Answerer } from '../answerer.ts';
import { isObject, textOf, toJson } from '../json.ts';
import type { ModelEvent } from '../language-model.ts';
import { toTokenUsage } from '../token-usage.ts';
import { readToolInput } from '../tool-input.ts';
import { AnswerError } from '../vendor-call.ts';

type Part = AssistantMessage['content'][number];

/** A content block as far as it has come. */
interface OpenBlock {
  readonly block: Record<string, JsonValue>;
  /** The input of a call, which comes as text. */
  input: string;
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool-calls',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'context-overflow',
  refusal: 'refusal',
};

/**
 * The events of a Messages stream. An answer is whole at `message_stop` and not before; one that the window cut before
 * anything of it could be shown is an overflow like any other. Throws `AnswerError`, and what the SDK throws.
 */
export async function* readAnthropicStream(
  stream: AsyncIterable<RawMessageStreamEvent>,
  answerer: Answerer,
): AsyncGenerator<ModelEvent> {
  const blocks = new Map<number, OpenBlock>();
  let usage: Usage | undefined;
  let stop: string | undefined;
  let wasShown = false;
  for await (const event of stream) {
    switch (event.type) {
      case 'message_start':
        usage = addUsage(usage, event.message.usage);
        break;
      case 'content_block_start':
        blocks.set(event.index, openBlock(event.content_block));
        break;
      case 'content_block_delta': {
        const shown = addDelta(requireBlock(blocks, event.index), event.delta);
        if (shown !== undefined) {
          wasShown = true;
          yield shown;
        }
        break;
      }
      case 'message_delta':
        usage = addUsage(usage, event.usage);
        stop = event.delta.stop_reason ?? stop;
        break;
      case 'message_stop': {
        const stopReason = stopReasons[stop ?? ''] ?? 'other';
        if (stopReason === 'context-overflow' && !wasShown) {
          throw new AnswerError('PROVIDER_CONTEXT_OVERFLOW', 'the window was full before the answer began');
        }
        yield finish(blocks, { stopReason, usage, answerer });
        return;
      }
      default:
    }
  }
  throw new AnswerError('PROVIDER_STREAM_BROKEN', 'the stream ended before message_stop');
}

/** Figures are cumulative, and some are told once only. */
function addUsage(earlier: Usage | undefined, raw: unknown): Usage | undefined {
  const later = readAnthropicUsage(raw);
  return later === undefined ? earlier : mergeAnthropicUsage(earlier, later);
}

function openBlock(started: unknown): OpenBlock {
  const block = toJson(started);
  return { block: isObject(block) ? { ...block } : {}, input: '' };
}

function requireBlock(blocks: ReadonlyMap<number, OpenBlock>, index: number): OpenBlock {
  const open = blocks.get(index);
  if (open !== undefined) return open;
  throw new AnswerError('PROVIDER_STREAM_BROKEN', `block ${index} went on before it had begun`);
}

/** Adds to the block; answers what there is to show of it. */
function addDelta(open: OpenBlock, delta: RawContentBlockDelta): ModelEvent | undefined {
  const { block } = open;
  switch (delta.type) {
    case 'text_delta':
      block['text'] = (textOf(block['text']) ?? '') + delta.text;
      return delta.text === '' ? undefined : { type: 'text-delta', text: delta.text };
    case 'thinking_delta':
      block['thinking'] = (textOf(block['thinking']) ?? '') + delta.thinking;
      return delta.thinking === '' ? undefined : { type: 'reasoning-delta', text: delta.thinking };
    case 'signature_delta':
      block['signature'] = delta.signature;
      return undefined;
    case 'input_json_delta':
      open.input += delta.partial_json;
      return undefined;
    case 'citations_delta': {
      const before = Array.isArray(block['citations']) ? block['citations'] : [];
      block['citations'] = [...before, toJson(delta.citation)];
      return undefined;
    }
    default:
      return undefined;
  }
}

function finish(
  blocks: ReadonlyMap<number, OpenBlock>,
  {
    stopReason,
    usage,
    answerer: { provider, id, known },
  }: { readonly stopReason: StopReason; readonly usage: Usage | undefined; readonly answerer: Answerer },
): ModelEvent {
  const inOrder = [...blocks].toSorted(([left], [right]) => left - right).map(([, open]) => open);
  const isCut = stopReason === 'max-tokens' || stopReason === 'context-overflow';
  const content = inOrder.flatMap((open, index) =>
    toPart(open, { isCut: isCut && index === inOrder.length - 1 }),
  );
  return {
    type: 'finished',
    message: { role: 'assistant', content, model: { provider, id }, stopReason },
    usage: toTokenUsage(usage, known),
  };
}

/** A block of the server's own work has no words of ours: it is kept whole, like a thought that is not shown. */
function toPart({ block, input }: OpenBlock, cut: { readonly isCut: boolean }): readonly Part[] {
  const { type, id, name, text, input: given, ...rest } = block;
  switch (type) {
    case 'text':
      return text === '' ? [] : [{ type: 'text', text: textOf(text) ?? '', ...toData(rest) }];
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          callId: textOf(id) ?? '',
          name: textOf(name) ?? '',
          input: isObject(given) && Object.keys(given).length > 0 ? given : readToolInput(input, cut),
          ...toData(rest),
        },
      ];
    default: {
      const data = input === '' ? block : { ...block, input: readToolInput(input, cut) };
      const thought = textOf(block['thinking']) ?? '';
      return [{ type: 'reasoning', text: thought, providerData: { api: 'anthropic-messages', data } }];
    }
  }
}

/** What the block has beside what the part says: citations, the caller. */
function toData(rest: Readonly<Record<string, JsonValue>>): Pick<Part, 'providerData'> {
  const data = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return Object.keys(data).length === 0 ? {} : { providerData: { api: 'anthropic-messages', data } };
}
