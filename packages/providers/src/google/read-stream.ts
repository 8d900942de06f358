import type { GenerateContentResponse, GenerateContentResponseUsageMetadata, Part } from '@google/genai';
import type { AssistantMessage, ProviderData, StopReason } from '@quartermaster/agent/messages';
import type { Answerer } from '../answerer.ts';
import { toJson } from '../json.ts';
import type { ModelEvent } from '../language-model.ts';
import { toTokenUsage } from '../token-usage.ts';
import { AnswerError } from '../vendor-call.ts';
import { readGoogleUsage } from './usage.ts';

type AnswerPart = AssistantMessage['content'][number];

/** By the reason's name; every other one that blocks is a refusal. */
const stopReasons: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'max-tokens',
  MALFORMED_FUNCTION_CALL: 'other',
  UNEXPECTED_TOOL_CALL: 'other',
  TOO_MANY_TOOL_CALLS: 'other',
  LANGUAGE: 'other',
  OTHER: 'other',
  FINISH_REASON_UNSPECIFIED: 'other',
};

/** An answer as far as it has come. */
interface OpenAnswer {
  readonly content: AnswerPart[];
  usage: GenerateContentResponseUsageMetadata | undefined;
  reason: string | undefined;
}

/**
 * The events of a `streamGenerateContent` stream. An answer is whole once it said why it ended. Throws `AnswerError`,
 * and what the SDK throws.
 */
export async function* readGoogleStream(
  stream: AsyncIterable<GenerateContentResponse>,
  { provider, id, known }: Answerer,
): AsyncGenerator<ModelEvent> {
  const answer: OpenAnswer = { content: [], usage: undefined, reason: undefined };
  for await (const chunk of stream) yield* addChunk(answer, chunk);
  const { content, usage, reason } = answer;
  if (reason === undefined) {
    throw new AnswerError('PROVIDER_STREAM_BROKEN', 'the stream ended before a finishReason');
  }
  const stopReason = stopReasonOf(reason, content);
  yield {
    type: 'finished',
    message: { role: 'assistant', content, model: { provider, id }, stopReason },
    usage: toTokenUsage(readGoogleUsage(usage), known),
  };
}

function* addChunk(answer: OpenAnswer, chunk: GenerateContentResponse): Generator<ModelEvent> {
  const { usageMetadata, promptFeedback, responseId } = chunk;
  answer.usage = usageMetadata ?? answer.usage;
  if (promptFeedback?.blockReason !== undefined) {
    throw new AnswerError('PROVIDER_REFUSED', `the prompt was blocked: ${promptFeedback.blockReason}`);
  }
  const [candidate] = chunk.candidates ?? [];
  answer.reason = candidate?.finishReason ?? answer.reason;
  for (const part of candidate?.content?.parts ?? []) {
    addPart(answer.content, part, responseId);
    const text = part.text ?? '';
    if (text !== '') yield { type: part.thought === true ? 'reasoning-delta' : 'text-delta', text };
  }
}

function stopReasonOf(reason: string, content: readonly AnswerPart[]): StopReason {
  const told = stopReasons[reason] ?? 'refusal';
  return told === 'end' && content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : told;
}

/**
 * Text comes in pieces, which are one part; a piece with a signature is one by itself, since the signature is of that
 * part and of no longer one. A call has an id of its own where the API gave none.
 */
function addPart(content: AnswerPart[], part: Part, responseId = ''): void {
  const { text, thought, functionCall, ...rest } = part;
  if (functionCall !== undefined) {
    const { id, name = '', args = {} } = functionCall;
    const data = dataOf({ ...(id !== undefined && { id }), ...rest });
    content.push({
      type: 'tool-call',
      callId: id ?? `${responseId}-${content.length}`,
      name,
      input: toJson(args),
      ...data,
    });
    return;
  }
  if (text === undefined) return;
  const type = thought === true ? 'reasoning' : 'text';
  const data = dataOf(rest);
  const last = content.at(-1);
  if (last?.type === type && last.providerData === undefined && data.providerData === undefined) {
    content[content.length - 1] = { type, text: last.text + text };
  } else if (text !== '' || data.providerData !== undefined) {
    content.push({ type, text, ...data });
  }
}

function dataOf(data: object): { readonly providerData?: ProviderData } {
  if (Object.keys(data).length === 0) return {};
  return { providerData: { api: 'google-gemini', data: toJson(data) } };
}
