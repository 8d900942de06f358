import type { Content, FunctionDeclaration, GenerateContentConfig, Part } from '@google/genai';
import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '@quartermaster/agent/messages';
import { isJsonObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ModelRequest, ToolDeclaration } from '../language-model.ts';
import { toObjectSchema } from '../object-schema.ts';
import { placeTools, plainToolTaking } from '../place-tools.ts';
import { dataFor, isBy } from '../provider-data.ts';
import type { Addressee } from '../provider-data.ts';
import { textsOf } from '../user-texts.ts';
import { toWellFormed } from '../well-formed.ts';
import { toWireName } from '../wire-names.ts';
import { toThinkingConfig } from './thinking.ts';

/** What a body depends on besides the request. */
export interface GoogleTarget extends Addressee {
  readonly api: 'google-gemini';
}

/** What the SDK makes a body of. */
export interface GoogleBody {
  readonly model: string;
  readonly contents: Content[];
  readonly config: GenerateContentConfig;
}

/**
 * From 3 on the API refuses a call without the signature that it was made with. For one that another model made the
 * vendor documents this text, which is taken for any.
 */
const foreignSignature = 'context_engineering_is_the_way_to_go';

/** The body of a `streamGenerateContent` request. A pure function, whose contents begin with those of a shorter conversation. */
export function toGoogleBody(request: ModelRequest, target: GoogleTarget): GoogleBody {
  const ids = vendorIds(request.messages, target);
  return toWellFormed({
    model: target.id,
    contents: request.messages.flatMap((message) => toContent(message, target, ids)),
    config: toConfig(request, target),
  });
}

function toConfig(request: ModelRequest, { id }: Addressee): GenerateContentConfig {
  const { system, temperature, maxOutputTokens, structuredOutput } = request;
  const tools = placeTools(request, plainToolTaking).inline;
  const thinkingConfig = toThinkingConfig(request.reasoning, id);
  return {
    ...(system.trim() !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
    ...(structuredOutput !== undefined && {
      responseMimeType: 'application/json',
      responseJsonSchema: structuredOutput.schema,
    }),
  };
}

function toDeclaration({ name, description, inputSchema }: ToolDeclaration): FunctionDeclaration {
  return { name, description, parametersJsonSchema: toObjectSchema(inputSchema) };
}

/** Ids of calls as the API gave them, by our own; most calls have none there, and are told apart by their order. */
function vendorIds(messages: readonly Message[], target: GoogleTarget): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  const ids = calls.flatMap((part): readonly (readonly [string, string])[] => {
    const id = part.type === 'tool-call' ? textOf(dataFor(part, target)?.['id']) : undefined;
    return part.type === 'tool-call' && id !== undefined ? [[part.callId, id]] : [];
  });
  return new Map(ids);
}

function toContent(
  message: Message,
  target: GoogleTarget,
  ids: ReadonlyMap<string, string>,
): readonly Content[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', parts: textsOf(message).map((text) => ({ text })) }];
    case 'tool':
      return [{ role: 'user', parts: message.results.map((result) => toResponse(result, ids)) }];
    case 'assistant': {
      const parts = toAnswer(message, target);
      return parts.length === 0 ? [] : [{ role: 'model', parts }];
    }
  }
}

/** The signatures stand where they stood, also on an empty text. The first call of another model's answer gets one. */
function toAnswer(message: AssistantMessage, target: GoogleTarget): Part[] {
  const isOwn = isBy(message, target);
  const firstCall = message.content.find(({ type }) => type === 'tool-call');
  return message.content.flatMap((part): readonly Part[] => {
    const data = isOwn ? dataFor(part, target) : undefined;
    switch (part.type) {
      case 'text':
        return part.text === '' && data === undefined ? [] : [{ text: part.text, ...data }];
      case 'reasoning':
        return isJsonObject(data) ? [{ text: part.text, thought: true, ...data }] : [];
      case 'tool-call':
        return [toCall(part, isOwn || part !== firstCall ? data : { thoughtSignature: foreignSignature })];
    }
  });
}

function toCall({ name, input }: ToolCallPart, { id, ...rest }: JsonObject = {}): Part {
  const given = textOf(id);
  return {
    functionCall: {
      ...(given !== undefined && { id: given }),
      name: toWireName(name),
      args: isJsonObject(input) ? input : { INVALID_JSON: input },
    },
    ...rest,
  };
}

/** `output` and `error` are the names that the API documents for what a function answered. */
function toResponse({ callId, name, outcome, text }: ToolResult, ids: ReadonlyMap<string, string>): Part {
  const id = ids.get(callId);
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name: toWireName(name),
      response: outcome === 'completed' ? { output: text } : { error: text },
    },
  };
}
