import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { AssistantMessage, Message, ToolCallPart } from '@quartermaster/agent/messages';
import type { Model } from '@quartermaster/catalog';
import { isJsonObject, parseJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ModelRequest, ToolDeclaration } from '../language-model.ts';
import { closeObjects, requiresAll, toObjectSchema } from '../object-schema.ts';
import { placeTools, plainToolTaking } from '../place-tools.ts';
import { dataFor, isBy } from '../provider-data.ts';
import type { Addressee } from '../provider-data.ts';
import { textsOf } from '../user-texts.ts';
import { toWellFormed } from '../well-formed.ts';
import { toWireCallId, toWireName } from '../wire-names.ts';
import { toArguments } from './arguments.ts';
import { effortOf, reasoningOf } from './reasoning-models.ts';

/** What a body depends on besides the request. */
export interface ChatTarget extends Addressee {
  readonly api: 'openai-chat';
  /** The catalog's row, where it has one. */
  readonly known: Model | undefined;
}

/**
 * The body of a Chat Completions request, for OpenAI itself or a server that speaks its language. A pure function,
 * whose messages begin with those of a shorter conversation.
 */
export function toChatBody(request: ModelRequest, target: ChatTarget): ChatCompletionCreateParamsStreaming {
  const { system } = request;
  const tools = placeTools(request, plainToolTaking).inline;
  return toWellFormed({
    model: target.id,
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...request.messages.flatMap((message) => toMessages(message, target)),
    ],
    ...toSettings(request, target),
    stream: true,
    stream_options: { include_usage: true },
  });
}

function toTool({ name, description, inputSchema }: ToolDeclaration): ChatCompletionFunctionTool {
  return { type: 'function', function: { name, description, parameters: toObjectSchema(inputSchema) } };
}

type Settings = Omit<ChatCompletionCreateParamsStreaming, 'model' | 'messages' | 'tools' | 'stream'>;

/** Other servers know the older name of the limit, and refuse what they do not know: they get no cache key. */
function toSettings(request: ModelRequest, { provider, id, known }: ChatTarget): Settings {
  const { reasoning, temperature, structuredOutput, maxOutputTokens, cacheKey } = request;
  const isVendor = provider === 'openai';
  const model = reasoningOf(id, known);
  const effort = effortOf(reasoning, model);
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(temperature !== undefined && !model.thinks && { temperature }),
    ...(maxOutputTokens !== undefined &&
      (isVendor ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens })),
    ...(cacheKey !== undefined && isVendor && { prompt_cache_key: cacheKey }),
    ...(structuredOutput !== undefined && { response_format: toFormat(structuredOutput) }),
  };
}

function toFormat({ name, schema }: NonNullable<ModelRequest['structuredOutput']>) {
  const closed = closeObjects(schema);
  const named = { name: toWireName(name), schema: { ...closed }, strict: requiresAll(closed) };
  return { type: 'json_schema' as const, json_schema: named };
}

function toMessages(message: Message, target: ChatTarget): readonly ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: textsOf(message).join('\n\n') }];
    case 'tool':
      return message.results.map(({ callId, text }) => ({
        role: 'tool',
        tool_call_id: toWireCallId(callId),
        content: text,
      }));
    case 'assistant': {
      const answer = toAnswer(message, target);
      return answer === undefined ? [] : [answer];
    }
  }
}

/** Thoughts go back to the model that had them, under the names that its server gave them; OpenAI itself gives none. */
function toAnswer(
  message: AssistantMessage,
  target: ChatTarget,
): ChatCompletionAssistantMessageParam | undefined {
  const texts = message.content.filter((part) => part.type === 'text').map(({ text }) => text);
  const calls = message.content.filter((part) => part.type === 'tool-call');
  const thoughts = message.content.filter((part) => part.type === 'reasoning' && isBy(message, target));
  const text = texts.join('');
  if (text === '' && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    ...Object.fromEntries(thoughts.flatMap((part) => Object.entries(dataFor(part, target) ?? {}))),
    content: text === '' ? null : text,
    ...(calls.length > 0 && { tool_calls: calls.map((part) => toCall(part, dataFor(part, target))) }),
  };
}

function toCall(part: ToolCallPart, data: JsonObject = {}): ChatCompletionMessageFunctionToolCall {
  const { arguments: written, ...rest } = data;
  const isReadable = typeof written === 'string' && isJsonObject(parseJson(written));
  return {
    ...rest,
    id: toWireCallId(part.callId),
    type: 'function',
    function: { name: toWireName(part.name), arguments: toArguments(part, isReadable ? data : undefined) },
  };
}
