import { priceRequest } from '@quartermaster/catalog';
import type { Conversation } from '../conversation.ts';
import type { Fault } from '../faults.ts';
import { isObject, objectsIn, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ModelApi, Reply } from '../model-api.ts';
import type { Step } from '../script.ts';
import type { SimulatorState } from '../state.ts';
import { hasBeta } from './betas.ts';
import { billTurn } from './billed-turn.ts';
import { loadedTools } from './loaded-tools.ts';
import { playTurn } from './model-turn.ts';
import { renderPrompt } from './render.ts';
import type { Message, MessagesRequest } from './request.ts';
import { streamOf } from './stream-events.ts';
import { signThinking, transformationsOf } from './thinking.ts';
import { isCount, understand } from './understand.ts';
import type { UnderstoodMessages } from './understand.ts';
import { splitInput, termsOf } from './usage.ts';

/** `POST /v1/messages` and `/v1/messages/count_tokens`. */
export const messagesApi: ModelApi = {
  declare(json) {
    const body = isObject(json) ? json : {};
    return {
      model: textOf(body['model']),
      isStream: body['stream'] === true,
      tools: objectsIn(body['tools']).map((tool) => ({
        name: textOf(tool['name']) ?? '',
        isDeferred: tool['defer_loading'] === true,
      })),
      toolsJson: body['tools'],
    };
  },
  understand(state, exchange, json) {
    const understood = understand(state, exchange, json);
    const { record, prompt, outcome } = understood;
    if (isCount(exchange)) return { type: 'count', record, body: { input_tokens: prompt.totalTokens } };
    return {
      type: 'turn',
      record,
      conversation: conversationOf(outcome.request),
      isStream: outcome.request.body['stream'] === true,
      headers: { 'anthropic-organization-id': 'org-simulated' },
      say: (step, fault) => say(state, understood, { step, fault }),
    };
  },
};

function say(
  state: SimulatorState,
  { workspace, outcome, prompt }: UnderstoodMessages,
  { step, fault }: { readonly step: Step; readonly fault: Fault | undefined },
): Reply {
  const { request, dropped } = outcome;
  const { cache, options } = state;
  const hit = cache.read(workspace, prompt.positions, options.clock.now());
  const split = splitInput(prompt, { hit, minCacheTokens: request.model.capabilities.minCacheTokens });
  const turn = playTurn(request, step, {
    ids: state.ids,
    sign: (thinking, before) =>
      signThinking(thinking, before.length === 0 ? prompt.binding : bindingBehind(request, before)),
  });
  const billed = billTurn(turn, {
    request,
    split,
    countTokens: state.counterOf(request.model),
    id: state.ids('msg_'),
    extra: hasBeta(request.betas, 'thinking-binding-controls')
      ? { input_transformations: transformationsOf(dropped) }
      : {},
  });
  return {
    body: billed.message,
    usage: billed.usage,
    cost: priceRequest(request.model, billed.tokens, Object.values(termsOf(request.body))),
    stream: () => streamOf(billed, fault),
    onFirstByte: () => cache.write(workspace, split.writes, options.clock.now()),
  };
}

/** What a thinking block is bound to that stands behind these blocks of the reply. */
function bindingBehind(request: MessagesRequest, before: readonly JsonObject[]): string {
  const blocks = before.map((json, index) => ({ type: String(json['type']), json, path: `reply.${index}` }));
  const reply = { role: 'assistant', blocks, path: 'reply', isTurnScoped: false, effort: undefined } as const;
  return renderPrompt({ ...request, messages: [...request.messages, reply] }, () => 0).binding;
}

function conversationOf(request: MessagesRequest): Conversation {
  const spoken = request.messages.filter((message) => message.role !== 'system');
  const clientTools = request.tools.filter((tool) => tool.kind === 'client');
  const newest = spoken.at(-1);
  const last = newest?.role === 'user' ? newest.blocks.at(-1) : undefined;
  return {
    api: 'messages',
    model: String(request.body['model']),
    turns: spoken.map((message) => ({ isUser: message.role === 'user', text: textIn(message) })),
    prompt: last?.type === 'text' ? String(last.json['text']) : '',
    tools: new Map(clientTools.map((tool) => [tool.name, schemaOf(tool.definition)])),
    forcedTool: forcedTool(request),
  };
}

/** All text of a message, one line a block; what tools answered is no part of it. */
function textIn(message: Message): string {
  return message.blocks
    .filter((block) => block.type === 'text')
    .map((block) => textOf(block.json['text']) ?? '')
    .join('\n');
}

function schemaOf(definition: JsonObject): JsonObject {
  return isObject(definition['input_schema']) ? definition['input_schema'] : {};
}

function forcedTool(request: MessagesRequest): string | undefined {
  const choice = request.body['tool_choice'];
  if (!isObject(choice)) return undefined;
  if (choice['type'] === 'tool') return textOf(choice['name']);
  return choice['type'] === 'any' ? [...loadedTools(request).keys()][0] : undefined;
}
