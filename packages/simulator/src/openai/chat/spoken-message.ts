import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { Step, StepCall } from '../../script.ts';
import { speak } from '../../spoken-turn.ts';
import type { OpenaiTokens } from '../billing.ts';
import type { ChatRequest } from './request.ts';
import { chatFreedom } from './tools.ts';

/** What the model says in one completion. */
export interface SpokenMessage {
  readonly message: JsonObject;
  readonly finishReason: string;
  /** Billed, never shown. */
  readonly thought: string;
  /** What is billed of the message. */
  readonly saidText: string;
}

/** A script's words for Chat's own; others go out as they are. */
const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  refusal: 'stop',
  tool_use: 'tool_calls',
};

/** Says a step as a message; where the script wrote blocks, those of type `text` and the calls among them. */
export function sayChat(request: ChatRequest, step: Step, ids: (prefix: string) => string): SpokenMessage {
  const { body } = request;
  const turn = speak(step, {
    isThinking: typeof body['reasoning_effort'] === 'string' && body['reasoning_effort'] !== 'none',
    maxCalls: maxCalls(body),
    canCall: (name) => chatFreedom(request).canCall(name),
  });
  const calls =
    step.blocks === undefined
      ? turn.calls.map((call) => callJson(call, request, ids))
      : step.blocks
          .filter((block) => block['type'] !== 'text')
          .map((block) => ({ id: ids('call_'), ...block }));
  const text = step.blocks === undefined ? turn.text : rawText(step.blocks);
  const isRefusal = step.stop === 'refusal';
  return {
    message: {
      role: 'assistant',
      content: isRefusal ? null : (text ?? null),
      refusal: isRefusal ? (text ?? null) : null,
      annotations: [],
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finishReason: finishReasonOf(step, calls.length > 0),
    thought: turn.thought ?? '',
    saidText: [text ?? '', ...calls.map(saidIn)].join('\n').trim(),
  };
}

/** `usage` of §2.4: `prompt_tokens` includes what was read and written (rule 5). */
export function usageJson(tokens: OpenaiTokens): JsonObject {
  const { input, cached, writtenShort, writtenLong, output, reasoning } = tokens;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: writtenShort + writtenLong,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function maxCalls(body: JsonObject): number {
  if (body['tool_choice'] === 'none') return 0;
  return body['parallel_tool_calls'] === false ? 1 : Infinity;
}

function finishReasonOf({ stop }: Step, hasCalls: boolean): string {
  if (stop !== undefined) return finishReasons[stop] ?? stop;
  return hasCalls ? 'tool_calls' : 'stop';
}

function callJson(
  { tool, input }: StepCall,
  { tools }: ChatRequest,
  ids: (prefix: string) => string,
): JsonObject {
  const id = ids('call_');
  if (tools.find(({ name }) => name === tool)?.kind === 'custom') {
    return {
      id,
      type: 'custom',
      custom: { name: tool, input: textOf(input['input']) ?? JSON.stringify(input) },
    };
  }
  return { id, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } };
}

function rawText(blocks: readonly JsonObject[]): string | undefined {
  const texts = objectsIn(blocks).filter((block) => block['type'] === 'text');
  return texts.length === 0 ? undefined : texts.map((block) => String(block['text'])).join('');
}

function saidIn(call: JsonObject): string {
  const named = call[String(call['type'])];
  return isObject(named) ? `${String(named['name'])} ${String(named['arguments'] ?? named['input'])}` : '';
}
