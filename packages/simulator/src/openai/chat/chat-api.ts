import type { Conversation } from '../../conversation.ts';
import type { Fault } from '../../faults.ts';
import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { ModelApi, Reply } from '../../model-api.ts';
import { promptRecord } from '../../prompt.ts';
import type { FlatPrompt } from '../../prompt.ts';
import type { Step } from '../../script.ts';
import type { SimulatorState } from '../../state.ts';
import { organisationOf } from '../authentication.ts';
import { priceTokens, serviceTierOf } from '../billing.ts';
import { meetCache } from '../cache.ts';
import { missing, refuseMember, requireObject } from '../checks.ts';
import { lastTextOf, textOfContent } from '../content.ts';
import { requireModel, windowOf } from '../model.ts';
import { checkChatBody, checkModelMembers } from './body.ts';
import { streamChat } from './chat-stream.ts';
import { readChatMessages } from './messages.ts';
import { renderChat } from './render.ts';
import type { ChatRequest } from './request.ts';
import { sayChat, usageJson } from './spoken-message.ts';
import { chatFreedom, checkChatChoice, readChatTools } from './tools.ts';

/** `POST /v1/chat/completions`. */
export const chatApi: ModelApi = {
  declare(json) {
    const body = isObject(json) ? json : {};
    return {
      model: textOf(body['model']),
      isStream: body['stream'] === true,
      tools: objectsIn(body['tools']).map((tool) => ({ name: declaredName(tool), isDeferred: false })),
      toolsJson: body['tools'],
    };
  },
  understand(state, exchange, json) {
    const organisation = organisationOf(exchange.request.headers);
    const request = parseRequest(json, state);
    const prompt = renderChat(request, state.counterOf(request.model));
    checkWindow(prompt, windowOf(state, request.model));
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

function parseRequest(json: unknown, { options }: SimulatorState): ChatRequest {
  const body = requireObject(json, 'body');
  if (body['model'] === undefined) throw missing('model');
  checkChatBody(body);
  const model = requireModel(body, options.catalog);
  checkModelMembers(body, model);
  const request = {
    model,
    tools: readChatTools(body['tools']),
    messages: readChatMessages(body['messages']),
    body,
  };
  checkChatChoice(request);
  return request;
}

function checkWindow({ totalTokens }: FlatPrompt, window: number): void {
  if (totalTokens <= window) return;
  throw refuseMember(
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${totalTokens} ` +
      'tokens. Please reduce the length of the messages.',
    'context_length_exceeded',
    'messages',
  );
}

function conversationOf(request: ChatRequest): Conversation {
  const spoken = request.messages.filter(({ role }) => role !== 'system' && role !== 'developer');
  const newest = spoken.at(-1);
  return {
    api: 'chat',
    model: String(request.body['model']),
    turns: spoken.map(({ role, json }) => ({
      isUser: role !== 'assistant',
      text: role === 'tool' ? '' : textOfContent(json['content']),
    })),
    prompt: newest?.role === 'user' ? lastTextOf(newest.json['content']) : '',
    tools: new Map(
      request.tools.map(({ name, definition }) => [
        name,
        isObject(definition['parameters']) ? definition['parameters'] : {},
      ]),
    ),
    forcedTool: chatFreedom(request).forced,
  };
}

function say(
  state: SimulatorState,
  {
    request,
    prompt,
    organisation,
  }: { readonly request: ChatRequest; readonly prompt: FlatPrompt; readonly organisation: string },
  { step, fault }: { readonly step: Step; readonly fault: Fault | undefined },
): Reply {
  const { model, body } = request;
  const { message, finishReason, thought, saidText } = sayChat(request, step, state.ids);
  const countTokens = state.counterOf(model);
  const cache = meetCache(state, prompt, { model, body, organisation });
  const reasoning = countTokens(thought);
  const tokens = {
    input: prompt.totalTokens,
    ...cache.tokens,
    reasoning,
    output: reasoning + countTokens(saidText),
  };
  const usage = usageJson(tokens);
  const completion = {
    id: state.ids('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(state.options.clock.now() / 1000),
    model: body['model'],
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
    service_tier: serviceTierOf(body),
    system_fingerprint: null,
  };
  return {
    body: completion,
    usage,
    cost: priceTokens(model, tokens, body),
    stream: () => streamChat({ completion, message, finishReason, usage }, fault, body),
    onFirstByte: () => cache.remember(),
  };
}

function declaredName(tool: JsonObject): string {
  const named = tool[String(tool['type'])];
  return isObject(named) ? (textOf(named['name']) ?? '') : '';
}
