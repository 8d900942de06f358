import type { Conversation, Turn } from '../../conversation.ts';
import type { Fault } from '../../faults.ts';
import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { ModelApi, Reply } from '../../model-api.ts';
import { promptRecord } from '../../prompt.ts';
import type { FlatPrompt } from '../../prompt.ts';
import type { Step } from '../../script.ts';
import type { SimulatorState } from '../../state.ts';
import type { TokenCounter } from '../../token-counter.ts';
import { organisationOf } from '../authentication.ts';
import { priceTokens } from '../billing.ts';
import { meetCache } from '../cache.ts';
import { refuseMember } from '../checks.ts';
import { lastTextOf, textOfContent } from '../content.ts';
import { windowOf } from '../model.ts';
import { knownTools, namesOf } from './callable-tools.ts';
import { parseRequest } from './parse-request.ts';
import { renderResponses } from './render.ts';
import type { Item, ResponsesRequest } from './request.ts';
import { finishedJson, responseJson, usageJson } from './response-json.ts';
import { streamResponse } from './response-stream.ts';
import { sayItems } from './spoken-items.ts';
import { toolFreedom } from './tool-choice.ts';
import { parametersOf } from './tools.ts';
import { thoughtOf } from './thought-tokens.ts';

/** `POST /v1/responses`. */
export const responsesApi: ModelApi = {
  declare(json) {
    const body = isObject(json) ? json : {};
    return {
      model: textOf(body['model']),
      isStream: body['stream'] === true,
      tools: objectsIn(body['tools']).flatMap(declaredTools),
      toolsJson: body['tools'],
    };
  },
  understand(state, exchange, json) {
    const organisation = organisationOf(exchange.request.headers);
    const request = parseRequest(json, state);
    const prompt = renderResponses(request, state.counterOf(request.model));
    checkWindow(request, prompt, windowOf(state, request.model));
    return {
      type: 'turn',
      record: promptRecord(prompt),
      conversation: conversationOf(request),
      isStream: request.body['stream'] === true,
      headers: { 'openai-organization': 'org-simulated', 'openai-version': '2020-10-01' },
      say: (step, fault) => say(state, { request, prompt, organisation }, { step, fault }),
    };
  },
};

function say(
  state: SimulatorState,
  {
    request,
    prompt,
    organisation,
  }: { readonly request: ResponsesRequest; readonly prompt: FlatPrompt; readonly organisation: string },
  { step, fault }: { readonly step: Step; readonly fault: Fault | undefined },
): Reply {
  const { model, body } = request;
  const countTokens = state.counterOf(model);
  const { items, incompleteReason } = sayItems(request, step, state.ids);
  const cache = meetCache(state, prompt, { model, body, organisation });
  const reasoning = items.reduce((sum, item) => sum + countTokens(thoughtOf(item, step)), 0);
  const said = items.reduce((sum, item) => sum + outputTokens(item, countTokens), 0);
  const tokens = { input: prompt.totalTokens, ...cache.tokens, reasoning, output: reasoning + said };
  const usage = usageJson(tokens, body);
  const id = state.ids('resp_');
  const nowMs = state.options.clock.now();
  const opening = responseJson(request, { id, nowMs });
  const whole = finishedJson(opening, { items, usage, nowMs, incompleteReason, fault });
  return {
    body: whole,
    usage,
    cost: priceTokens(model, tokens, body),
    stream: () => streamResponse({ opening, whole }, fault, body),
    onFirstByte() {
      cache.remember();
      if (body['store'] === false) return;
      state.stored.keep(id, [...request.items.map((item) => item.json), ...items]);
    },
  };
}

function outputTokens(item: JsonObject, countTokens: TokenCounter): number {
  switch (item['type']) {
    case 'message':
      return countTokens(textOfContent(item['content']));
    case 'function_call':
      return countTokens(`${String(item['name'])} ${String(item['arguments'])}`);
    case 'custom_tool_call':
      return countTokens(`${String(item['name'])} ${String(item['input'])}`);
    case 'tool_search_call':
      return countTokens(JSON.stringify(item['arguments']));
    default:
      return 0;
  }
}

function checkWindow({ body }: ResponsesRequest, { totalTokens }: FlatPrompt, window: number): void {
  if (totalTokens <= window || body['truncation'] === 'auto') return;
  throw refuseMember(
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'context_length_exceeded',
    'input',
  );
}

function conversationOf(request: ResponsesRequest): Conversation {
  const newest = request.items.findLast((item) => turnOf(item) !== undefined);
  const isPrompt = newest?.type === 'message' && newest.json['role'] === 'user';
  return {
    api: 'responses',
    model: String(request.body['model']),
    turns: request.items.flatMap((item) => turnOf(item) ?? []),
    prompt: isPrompt ? lastTextOf(newest.json['content']) : '',
    tools: new Map(
      knownTools(request).flatMap((tool) =>
        [...namesOf(tool), tool.name].map((name) => [name, parametersOf(tool)] as const),
      ),
    ),
    forcedTool: toolFreedom(request).forced,
  };
}

/** Thoughts, searches and tools that come between are no turns: a step that needed a search is one step. */
function turnOf({ type, json }: Item): Turn | undefined {
  if (type === 'message') {
    const isInstruction = json['role'] === 'system' || json['role'] === 'developer';
    if (isInstruction) return undefined;
    return { isUser: json['role'] === 'user', text: textOfContent(json['content']) };
  }
  if (type.startsWith('tool_search') || !/_call(?:_output)?$/.test(type)) return undefined;
  return { isUser: type.endsWith('_output'), text: '' };
}

function declaredTools(tool: JsonObject): readonly { readonly name: string; readonly isDeferred: boolean }[] {
  const name = textOf(tool['name']) ?? textOf(tool['server_label']) ?? textOf(tool['type']) ?? '';
  if (tool['type'] !== 'namespace') return [{ name, isDeferred: tool['defer_loading'] === true }];
  return objectsIn(tool['tools']).map((inner) => ({
    name: `${name}.${textOf(inner['name']) ?? ''}`,
    isDeferred: inner['defer_loading'] === true,
  }));
}
