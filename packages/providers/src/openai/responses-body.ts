import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  Tool,
} from 'openai/resources/responses/responses';
import type { AssistantMessage, Message, TextPart, ToolCallPart } from '@quartermaster/agent/messages';
import type { Model } from '@quartermaster/catalog';
import { isJsonObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ModelRequest, ToolDeclaration } from '../language-model.ts';
import { closeObjects, requiresAll } from '../object-schema.ts';
import { placeTools } from '../place-tools.ts';
import type { PlacedTools, ToolTaking } from '../place-tools.ts';
import { dataFor, isBy } from '../provider-data.ts';
import type { Addressee } from '../provider-data.ts';
import { textsOf } from '../user-texts.ts';
import { toWellFormed } from '../well-formed.ts';
import { toWireCallId, toWireName } from '../wire-names.ts';
import { toArguments } from './arguments.ts';
import { toAdditionalTools, toDeferredFunction, toFunction, toSearchPair } from './late-tools.ts';
import { effortOf, reasoningOf } from './reasoning-models.ts';

/** What a body depends on besides the request. */
export interface ResponsesTarget extends Addressee, ToolTaking {
  readonly api: 'openai-responses';
  /** The catalog's row, where it has one. */
  readonly known: Model | undefined;
}

/** The API takes no less. */
const minOutputTokens = 16;

/**
 * The body of a Responses request. Nothing is stored at the vendor's: each request holds the whole conversation, and
 * thoughts come back encrypted to be sent again. A pure function, whose input begins with that of a shorter
 * conversation.
 */
export function toResponsesBody(
  request: ModelRequest,
  target: ResponsesTarget,
): ResponseCreateParamsStreaming {
  const { system, cacheKey, maxOutputTokens } = request;
  const placed = placeTools(request, target);
  const tools = toToolList(placed);
  return toWellFormed({
    model: target.id,
    ...(system.trim() !== '' && { instructions: system }),
    ...(tools.length > 0 && { tools: [...tools] }),
    input: request.messages.flatMap((message) => [
      ...toItems(message, placed, target),
      ...toTail(placed.afterMessage.get(message.id)),
    ]),
    ...toSettings(request, target),
    ...(maxOutputTokens !== undefined && { max_output_tokens: Math.max(maxOutputTokens, minOutputTokens) }),
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    store: false,
    stream: true,
  });
}

/** Late tools are in none: they enter with the items of the conversation. */
function toToolList({ inline, catalogue }: PlacedTools): readonly Tool[] {
  const search: Tool = { type: 'tool_search', execution: 'server' };
  return [
    ...inline.map(toFunction),
    ...(catalogue.length === 0 ? [] : [search]),
    ...catalogue.map(toDeferredFunction),
  ];
}

function toTail(entering: readonly ToolDeclaration[] = []): readonly ResponseInputItem[] {
  return entering.length === 0 ? [] : [toAdditionalTools(entering)];
}

type Settings = Pick<ResponseCreateParamsStreaming, 'reasoning' | 'include' | 'temperature' | 'text'>;

/** A summary of the thoughts is asked for with the effort only: some accounts may not have it. */
function toSettings(
  { reasoning, temperature, structuredOutput }: ModelRequest,
  { id, known }: ResponsesTarget,
): Settings {
  const model = reasoningOf(id, known);
  const effort = effortOf(reasoning, model);
  return {
    ...(effort !== undefined && {
      reasoning: { effort, ...(reasoning !== 'off' && { summary: 'auto' as const }) },
    }),
    ...((model.thinks || effort !== undefined) && { include: ['reasoning.encrypted_content' as const] }),
    ...(temperature !== undefined && !model.thinks && { temperature }),
    ...(structuredOutput !== undefined && { text: { format: toFormat(structuredOutput) } }),
  };
}

function toFormat({ name, schema }: NonNullable<ModelRequest['structuredOutput']>) {
  const closed = closeObjects(schema);
  return {
    type: 'json_schema' as const,
    name: toWireName(name),
    schema: closed,
    strict: requiresAll(closed),
  };
}

function toItems(
  message: Message,
  { afterCall, catalogue }: PlacedTools,
  target: ResponsesTarget,
): readonly ResponseInputItem[] {
  switch (message.role) {
    case 'user': {
      const content = textsOf(message).map((text) => ({ type: 'input_text' as const, text }));
      return [{ type: 'message', role: 'user', content }];
    }
    case 'tool':
      return message.results.flatMap(({ callId, text }): readonly ResponseInputItem[] => {
        const listed = new Set(catalogue.map(({ name }) => name));
        const entering = (afterCall.get(callId) ?? []).filter(({ name }) => !listed.has(name));
        return [
          { type: 'function_call_output', call_id: toWireCallId(callId), output: text },
          ...(entering.length === 0 ? [] : toSearchPair(callId, entering)),
        ];
      });
    case 'assistant':
      return toAnswer(message, target);
  }
}

/**
 * The items of an answer. One of this model's own goes back as it came, with the ids that tie a thought to what
 * followed from it; where a thought is missing, or another model answered, the ids are left out with the thoughts. A
 * thought at the end, from which nothing followed, is refused and left out too.
 */
function toAnswer(message: AssistantMessage, target: ResponsesTarget): readonly ResponseInputItem[] {
  const isOwn = isBy(message, target) && message.content.every((part) => isSendable(part, target));
  const items = message.content.flatMap((part): readonly ResponseInputItem[] => {
    const data = dataFor(part, target);
    const own = isOwn ? data : withoutId(data);
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [toSaid(part, own)];
      case 'reasoning':
        return isOwn && isJsonObject(data) ? [verbatim(data)] : [];
      case 'tool-call':
        return [toCall(part, own)];
    }
  });
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** A thought that came without its encrypted content stands nowhere: nothing was stored. */
function isSendable(part: AssistantMessage['content'][number], target: ResponsesTarget): boolean {
  if (part.type !== 'reasoning') return true;
  const data = dataFor(part, target);
  return data?.['type'] !== 'reasoning' || textOf(data['encrypted_content']) !== undefined;
}

function withoutId(data: JsonObject | undefined): JsonObject | undefined {
  if (data === undefined) return undefined;
  const { id: _, ...rest } = data;
  return rest;
}

function toSaid({ text }: TextPart, data: JsonObject | undefined): ResponseInputItem {
  const phase = data?.['phase'] === undefined ? {} : { phase: data['phase'] };
  if (textOf(data?.['id']) === undefined) {
    return verbatim({ type: 'message', role: 'assistant', content: text, ...phase });
  }
  const content = [{ type: 'output_text', text, annotations: [] }];
  return verbatim({ type: 'message', role: 'assistant', content, ...data });
}

function toCall(part: ToolCallPart, data: JsonObject | undefined): ResponseInputItem {
  return verbatim({
    ...data,
    type: 'function_call',
    call_id: toWireCallId(part.callId),
    name: toWireName(part.name),
    arguments: toArguments(part, data),
  });
}

/** An item that the API gave us, or one with members that it gave. */
function verbatim(item: object): ResponseInputItem {
  return item as ResponseInputItem;
}
