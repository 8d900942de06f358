import type { Conversation } from '../conversation.ts';
import type { Exchange } from '../exchange.ts';
import type { Fault } from '../faults.ts';
import { isObject, objectsIn, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ModelApi, Reply } from '../model-api.ts';
import { promptRecord } from '../prompt.ts';
import type { FlatPrompt } from '../prompt.ts';
import type { Step } from '../script.ts';
import type { SimulatorState } from '../state.ts';
import { projectOf } from './authentication.ts';
import { argumentsSchema } from './declarations.ts';
import { refuseGemini } from './fields.ts';
import { streamGemini } from './gemini-stream.ts';
import { requireGeminiModel } from './models.ts';
import type { GeminiTarget } from './models.ts';
import { parseRequest } from './parse-request.ts';
import { renderGemini } from './render.ts';
import type { Content, GeminiRequest } from './request.ts';
import { forcedFunction, saidIn, sayParts } from './spoken-parts.ts';

/** How long the cache that Google fills by itself remembers a prompt; no figure is published. */
const cacheLifeMs = 300_000;

/** `POST /v1beta/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`. */
export const geminiApi: ModelApi = {
  declare(json, exchange) {
    const body = isObject(json) ? json : {};
    const { id, method } = targetOf(exchange);
    const declarations = objectsIn(body['tools']).flatMap((tool) =>
      objectsIn(tool['functionDeclarations'] ?? tool['function_declarations']),
    );
    return {
      model: id,
      isStream: method === 'streamGenerateContent',
      tools: declarations.map((tool) => ({ name: textOf(tool['name']) ?? '', isDeferred: false })),
      toolsJson: body['tools'],
    };
  },
  understand(state, exchange, json) {
    const project = projectOf(exchange.request);
    const { isSse, ...target } = targetOf(exchange);
    const { method } = target;
    const model = requireGeminiModel(target);
    const isCount = method === 'countTokens';
    const request = parseRequest(isCount ? countedRequest(json) : json, model);
    const prompt = renderGemini(request, state.counterOf({ billedPerO200k: 1 }));
    const record = promptRecord(prompt);
    if (isCount) return { type: 'count', record, body: { totalTokens: prompt.totalTokens } };
    checkWindow(prompt, state.windowOf(model.id, model.contextTokens));
    return {
      type: 'turn',
      record,
      conversation: conversationOf(request),
      isStream: method === 'streamGenerateContent',
      headers: {},
      say: (step, fault) => say(state, { request, prompt, project, isSse }, { step, fault }),
    };
  },
};

/** What a path asks for. */
function targetOf({ path, request }: Exchange): GeminiTarget & { readonly isSse: boolean } {
  const [, version = '', id = '', method = ''] =
    /^\/(\w+)\/models\/([^/:]+):(\w+)$/.exec(decodeURIComponent(path)) ?? [];
  const { searchParams } = new URL(request.url ?? '/', 'http://simulator');
  return { version, id, method, isSse: searchParams.get('alt') === 'sse' };
}

/** countTokens takes the contents alone, or a whole request in a member of its own. */
function countedRequest(json: unknown): unknown {
  return isObject(json) ? (json['generateContentRequest'] ?? json) : json;
}

function checkWindow({ totalTokens }: FlatPrompt, window: number): void {
  if (totalTokens <= window) return;
  throw refuseGemini(
    `The input token count (${totalTokens}) exceeds the maximum number of tokens allowed (${window}).`,
  );
}

function conversationOf(request: GeminiRequest): Conversation {
  const { contents, declarations, model } = request;
  const newest = contents.at(-1);
  const last = newest?.role === 'user' ? newest.parts.at(-1) : undefined;
  return {
    api: 'gemini',
    model: model.id,
    turns: contents.map((content) => ({ isUser: content.role === 'user', text: textIn(content) })),
    prompt: textOf(last?.['text']) ?? '',
    tools: new Map(declarations.map(({ name, definition }) => [name, argumentsSchema(definition)])),
    forcedTool: forcedFunction(request),
  };
}

function textIn({ parts }: Content): string {
  return parts.flatMap((part) => (part['thought'] === true ? [] : (textOf(part['text']) ?? []))).join('\n');
}

function say(
  state: SimulatorState,
  {
    request,
    prompt,
    project,
    isSse,
  }: {
    readonly request: GeminiRequest;
    readonly prompt: FlatPrompt;
    readonly project: string;
    readonly isSse: boolean;
  },
  { step, fault }: { readonly step: Step; readonly fault: Fault | undefined },
): Reply {
  const { prefixes, options } = state;
  const { model } = request;
  const spoken = sayParts(request, step, state.ids);
  const countTokens = state.counterOf({ billedPerO200k: 1 });
  const shared = prefixes.read(project, prompt.positions, options.clock.now());
  const usage = usageJson({
    prompt: prompt.totalTokens,
    cached: shared < model.minCacheTokens ? 0 : shared,
    said: spoken.parts.reduce((sum, part) => sum + countTokens(saidIn(part)), 0),
    thought: countTokens(spoken.thought),
  });
  const body = {
    candidates: [
      { content: { parts: spoken.parts, role: 'model' }, finishReason: spoken.finishReason, index: 0 },
    ],
    usageMetadata: usage,
    modelVersion: model.id,
    responseId: state.ids(''),
  };
  return {
    body,
    usage,
    cost: null,
    stream: () => streamGemini(spoken, { body, usage, isSse }, fault),
    onFirstByte: () => prefixes.write(project, prompt.positions, options.clock.now() + cacheLifeMs),
  };
}

/** `promptTokenCount` includes what was cached; thoughts are not among the candidates' tokens. */
function usageJson({
  prompt,
  cached,
  said,
  thought,
}: Readonly<Record<'prompt' | 'cached' | 'said' | 'thought', number>>): JsonObject {
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    candidatesTokenCount: said,
    ...(thought === 0 ? {} : { thoughtsTokenCount: thought }),
    totalTokenCount: prompt + said + thought,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}
