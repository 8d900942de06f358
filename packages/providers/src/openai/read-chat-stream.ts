import type { AssistantMessage, JsonValue, StopReason } from '@quartermaster/agent/messages';
import { readOpenAiUsage } from '@quartermaster/wire';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Answerer } from '../answerer.ts';
import { isJsonObject, memberOf, textOf, toJson } from '../json.ts';
import type { ModelEvent } from '../language-model.ts';
import { toTokenUsage } from '../token-usage.ts';
import { AnswerError } from '../vendor-call.ts';
import { readArguments } from './arguments.ts';

type Part = AssistantMessage['content'][number];
type Delta = ChatCompletionChunk.Choice.Delta;
type Choice = Pick<ChatCompletionChunk.Choice, 'finish_reason'> & { readonly delta?: Delta };

/** A call as far as it has come. */
interface OpenCall {
  id: string;
  name: string;
  written: string;
  /** Members that the server adds of its own, as a signature that it wants back. */
  extra: Record<string, JsonValue>;
}

/** An answer as far as it has come. */
interface OpenAnswer {
  text: string;
  /** By the name under which the server gives thoughts: `reasoning_content` or `reasoning`. */
  readonly thoughts: Map<string, string>;
  readonly calls: Map<number, OpenCall>;
  finishReason: string | undefined;
  isRefused: boolean;
  responseId: string;
  usage: unknown;
  serviceTier: unknown;
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  length: 'max-tokens',
  tool_calls: 'tool-calls',
  content_filter: 'refusal',
};

/**
 * The events of a Chat Completions stream. An answer is whole once it said why it ended; usage may follow. Throws
 * `AnswerError`, and what the SDK throws.
 */
export async function* readChatStream(
  stream: AsyncIterable<ChatCompletionChunk>,
  answerer: Answerer,
): AsyncGenerator<ModelEvent> {
  const answer: OpenAnswer = {
    text: '',
    thoughts: new Map(),
    calls: new Map(),
    finishReason: undefined,
    isRefused: false,
    responseId: '',
    usage: undefined,
    serviceTier: undefined,
  };
  for await (const chunk of stream) {
    answer.usage = chunk.usage ?? answer.usage;
    answer.serviceTier = chunk.service_tier ?? answer.serviceTier;
    answer.responseId = chunk.id || answer.responseId;
    const choice = firstChoice(chunk);
    if (choice === undefined) continue;
    yield* addDelta(answer, choice.delta ?? {});
    answer.finishReason = choice.finish_reason || answer.finishReason;
  }
  if (answer.finishReason === undefined) {
    throw new AnswerError('PROVIDER_STREAM_BROKEN', 'the stream ended before a finish_reason');
  }
  yield finish(answer, answerer);
}

/** Some servers leave out of a chunk what it has nothing of: the choices, the delta, the index of a call. */
function firstChoice({ choices }: { readonly choices?: readonly Choice[] }): Choice | undefined {
  return choices?.[0];
}

function* addDelta(answer: OpenAnswer, delta: Delta): Generator<ModelEvent> {
  for (const name of ['reasoning_content', 'reasoning']) {
    const thought = textOf(memberOf(delta, name)) ?? '';
    if (thought === '') continue;
    answer.thoughts.set(name, (answer.thoughts.get(name) ?? '') + thought);
    const [shown] = answer.thoughts.keys();
    // A server that gives both gives the same twice.
    if (name === shown) yield { type: 'reasoning-delta', text: thought };
  }
  const text = textIn(delta.content) + (delta.refusal ?? '');
  answer.isRefused ||= (delta.refusal ?? '') !== '';
  answer.text += text;
  if (text !== '') yield { type: 'text-delta', text };
  for (const call of delta.tool_calls ?? []) addCall(answer.calls, call);
}

/** Some servers say their words in parts, thoughts among them. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content) ?? '';
  return content.map((part) => textOf(memberOf(part, 'text')) ?? '').join('');
}

/** Id and name come with the first delta of an index, and are empty or absent after it. */
function addCall(calls: Map<number, OpenCall>, delta: ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const { index: told, id, type: _, function: called, ...extra } = delta;
  const index = told ?? placeOf(calls, id);
  const call = calls.get(index) ?? { id: '', name: '', written: '', extra: {} };
  calls.set(index, call);
  call.id = id || call.id;
  call.name = called?.name || call.name;
  call.written += called?.arguments ?? '';
  const added = toJson(extra);
  if (isJsonObject(added)) call.extra = { ...call.extra, ...added };
}

/** Of a call without an index: that of the call with this id, of a new one, or of the last where there is no id. */
function placeOf(calls: ReadonlyMap<number, OpenCall>, id: string | undefined): number {
  const known = [...calls].find(([, call]) => call.id === id);
  if (known !== undefined) return known[0];
  return id === undefined ? Math.max(0, calls.size - 1) : calls.size;
}

function finish(answer: OpenAnswer, { provider, id, known }: Answerer): ModelEvent {
  const stopReason = stopReasonOf(answer);
  const content = [...thoughtsOf(answer), ...textsOf(answer), ...callsOf(answer, stopReason)];
  return {
    type: 'finished',
    message: { role: 'assistant', content, model: { provider, id }, stopReason },
    usage: toTokenUsage(readOpenAiUsage(answer.usage, answer.serviceTier), known),
  };
}

/** Some servers end with `stop` where they call tools. */
function stopReasonOf({ finishReason, calls, isRefused }: OpenAnswer): StopReason {
  const told = stopReasons[finishReason ?? ''] ?? 'other';
  if (told === 'end' && isRefused) return 'refusal';
  return told === 'end' && calls.size > 0 ? 'tool-calls' : told;
}

function thoughtsOf({ thoughts }: OpenAnswer): readonly Part[] {
  const [text] = thoughts.values();
  if (text === undefined) return [];
  const data = Object.fromEntries(thoughts);
  return [{ type: 'reasoning', text, providerData: { api: 'openai-chat', data } }];
}

function textsOf({ text }: OpenAnswer): readonly Part[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function callsOf({ calls, responseId }: OpenAnswer, stopReason: StopReason): readonly Part[] {
  const inOrder = [...calls].toSorted(([left], [right]) => left - right);
  return inOrder.map(([index, { id, name, written, extra }], at): Part => {
    const isCut = stopReason === 'max-tokens' && at === inOrder.length - 1;
    const { input, kept } = readArguments(written, { isCut });
    const data = { ...extra, ...kept };
    return {
      type: 'tool-call',
      callId: id === '' ? `${responseId}-${index}` : id,
      name,
      input,
      ...(Object.keys(data).length > 0 && { providerData: { api: 'openai-chat', data } }),
    };
  });
}
