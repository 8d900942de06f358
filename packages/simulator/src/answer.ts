import { priceRequest } from '@quartermaster/catalog';
import { hasBeta } from './betas.ts';
import type { RequestDraft } from './bill.ts';
import { chunkingOf } from './chunking.ts';
import type { Exchange } from './exchange.ts';
import { recordOf, replacesReply } from './faults.ts';
import type { Fault } from './faults.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { playTurn } from './model-turn.ts';
import { obey } from './obedience.ts';
import { renderPrompt } from './render.ts';
import { billTurn } from './reply.ts';
import type { Reply } from './reply.ts';
import type { MessagesRequest } from './request.ts';
import { sendFault, sendMessage, sendStream } from './respond.ts';
import { findStep, readStep } from './script.ts';
import type { ScriptedStep } from './script.ts';
import type { SimulatorState } from './state.ts';
import { signThinking, transformationsOf } from './thinking.ts';
import type { Understood } from './understand.ts';
import { splitInput } from './usage.ts';
import type { InputSplit } from './usage.ts';

/** Asks the model and sends what it says, or the fault that the script or the request's header wants. */
export async function answer(
  state: SimulatorState,
  exchange: Exchange,
  context: {
    readonly understood: Understood;
    readonly headerFault: Fault | undefined;
    readonly record: (changes: Partial<RequestDraft>) => void;
  },
): Promise<void> {
  const { request, response, requestId } = exchange;
  const { understood, headerFault, record } = context;
  const chunking = chunkingOf(request.headers['x-simulator-chunking']);
  const asked = understood.outcome.request;
  const scripted = findStep(asked.messages);
  const fault = (scripted && state.faults.take(scripted)) ?? headerFault;
  if (fault !== undefined && replacesReply(fault)) {
    record(recordOf(fault));
    return sendFault(response, fault, requestId);
  }
  const split = readCache(state, understood);
  const reply = composeReply(state, understood, { scripted, split });
  record({ usage: reply.usage, cost: priceRequest(asked.model, reply.tokens) });
  const options = {
    headers: { 'request-id': requestId, 'anthropic-organization-id': 'org-simulated' },
    fault,
    onFirstByte: () => state.cache.write(understood.workspace, split.writes, state.options.clock.now()),
  };
  return asked.body['stream'] === true
    ? sendStream(response, reply, { ...options, chunking })
    : sendMessage(response, reply, options);
}

function readCache(state: SimulatorState, { workspace, prompt, outcome }: Understood): InputSplit {
  const hit = state.cache.read(workspace, prompt.positions, state.options.clock.now());
  return splitInput(prompt, { hit, minCacheTokens: outcome.request.model.capabilities.minCacheTokens });
}

function composeReply(
  state: SimulatorState,
  { outcome, prompt }: Understood,
  { scripted, split }: { readonly scripted: ScriptedStep | undefined; readonly split: InputSplit },
): Reply {
  const { request, dropped } = outcome;
  const step = scripted === undefined ? obey(request) : readStep(stepAfterFault(scripted.json));
  const turn = playTurn(request, step, {
    ids: state.ids,
    sign: (thinking, before) =>
      signThinking(thinking, before.length === 0 ? prompt.binding : bindingBehind(request, before)),
  });
  return billTurn(turn, {
    request,
    split,
    countTokens: state.counterOf(request.model),
    id: state.ids('msg_'),
    extra: hasBeta(request.betas, 'thinking-binding-controls')
      ? { input_transformations: transformationsOf(dropped) }
      : {},
  });
}

/** What a thinking block is bound to that stands behind these blocks of the reply. */
function bindingBehind(request: MessagesRequest, before: readonly JsonObject[]): string {
  const blocks = before.map((json, index) => ({ type: String(json['type']), json, path: `reply.${index}` }));
  const reply = { role: 'assistant', blocks, path: 'reply', isTurnScoped: false, effort: undefined } as const;
  return renderPrompt({ ...request, messages: [...request.messages, reply] }, () => 0).binding;
}

/** A step whose fault is over, or that breaks its own answer, says what its `then` says, else "ok". */
function stepAfterFault(json: JsonObject): JsonObject {
  if (json['fault'] === undefined) return json;
  return isObject(json['then']) ? json['then'] : {};
}
