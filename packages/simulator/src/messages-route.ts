import { priceRequest } from '@quartermaster/catalog';
import { refuse } from './api-error.ts';
import { workspaceOf } from './authentication.ts';
import { betasOf, hasBeta } from './betas.ts';
import type { SimulatedRequest } from './bill.ts';
import { draftRecord } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { faultOfHeader, replacesReply } from './faults.ts';
import type { Fault } from './faults.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { playTurn } from './model-turn.ts';
import { obey } from './obedience.ts';
import { parseRequest } from './parse-request.ts';
import { readBody } from './read-body.ts';
import { renderPrompt } from './render.ts';
import type { RenderedPrompt } from './render.ts';
import { billTurn } from './reply.ts';
import type { MessagesRequest } from './request.ts';
import { sendFault, sendJson, sendMessage, sendStream } from './respond.ts';
import { findStep, readStep } from './script.ts';
import type { SimulatorState } from './state.ts';
import { checkThinking, isBindingError, signThinking, transformationsOf } from './thinking.ts';
import type { BindingOutcome } from './thinking.ts';
import { splitInput } from './usage.ts';

type Draft = Omit<SimulatedRequest, 'index'>;

/** A request that was understood: what the model reads, and the record so far. */
interface Understood {
  readonly workspace: string;
  readonly outcome: BindingOutcome;
  readonly prompt: RenderedPrompt;
  readonly draft: Draft;
}

/**
 * `POST /v1/messages` and `/v1/messages/count_tokens`. Every request is recorded before the first byte of its answer,
 * also when it is refused.
 */
export async function serveMessages(state: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, requestId } = exchange;
  const isCount = exchange.path.endsWith('/count_tokens');
  let body: Buffer = Buffer.alloc(0);
  let draft = draftRecord(exchange, undefined);
  const record = (changes: Partial<Draft>): void => state.record({ ...draft, ...changes }, body);
  try {
    body = await readBody(request);
    const headerFault = faultOfHeader(request.headers);
    if (headerFault !== undefined && replacesReply(headerFault)) {
      record(faultRecord(headerFault));
      return await sendFault(response, headerFault, requestId);
    }
    const json = parseJson(body);
    draft = draftRecord(exchange, json);
    const understood = understand(state, exchange, { json, draft, isCount });
    draft = understood.draft;
    if (isCount) {
      record({});
      return sendJson(
        response,
        { input_tokens: understood.prompt.totalTokens },
        { status: 200, headers: { 'request-id': requestId } },
      );
    }
    return await answer(state, exchange, { understood, headerFault, record });
  } catch (error) {
    state.refuse(exchange, error, (failure) => record({ ...failure, brokenBinding: isBindingError(error) }));
  }
}

function understand(
  state: SimulatorState,
  exchange: Exchange,
  { json, draft, isCount }: { readonly json: unknown; readonly draft: Draft; readonly isCount: boolean },
): Understood {
  const { headers } = exchange.request;
  const workspace = workspaceOf(headers);
  const { catalog, mode = 'faithful', binding } = state.options;
  const parsed = parseRequest(json, { catalog, mode, betas: betasOf(headers), isCount });
  const countTokens = state.counterOf(parsed.model);
  const sent = renderPrompt(parsed, countTokens);
  const outcome = binding ? checkThinking(parsed, sent) : { request: parsed, dropped: [] };
  const prompt = outcome.dropped.length === 0 ? sent : renderPrompt(outcome.request, countTokens);
  checkWindow(outcome.request, prompt);
  return {
    workspace,
    outcome,
    prompt,
    draft: {
      ...draft,
      renderedPrefixHashes: prompt.positions.map((position) => position.hash.slice(0, 16)),
      prefixTokens: prompt.prefixTokens,
      brokenBinding: outcome.dropped.length > 0,
    },
  };
}

async function answer(
  state: SimulatorState,
  exchange: Exchange,
  context: {
    readonly understood: Understood;
    readonly headerFault: Fault | undefined;
    readonly record: (changes: Partial<Draft>) => void;
  },
): Promise<void> {
  const { request, response, requestId } = exchange;
  const { workspace, outcome, prompt } = context.understood;
  const scripted = findStep(outcome.request.messages);
  const fault = (scripted && state.faults.take(scripted)) ?? context.headerFault;
  if (fault !== undefined && replacesReply(fault)) {
    context.record(faultRecord(fault));
    return sendFault(response, fault, requestId);
  }
  const { model } = outcome.request;
  const hit = state.cache.read(workspace, prompt.positions, state.options.clock.now());
  const split = splitInput(prompt, { hit, minCacheTokens: model.capabilities.minCacheTokens });
  const step = scripted === undefined ? obey(outcome.request) : readStep(stepAfterFault(scripted.json));
  const turn = playTurn(outcome.request, step, {
    ids: state.ids,
    sign: (thinking) => signThinking(thinking, prompt.binding),
  });
  const extra = hasBeta(outcome.request.betas, 'thinking-binding-controls')
    ? { input_transformations: transformationsOf(outcome.dropped) }
    : {};
  const reply = billTurn(turn, {
    request: outcome.request,
    split,
    countTokens: state.counterOf(model),
    id: state.ids('msg_'),
    extra,
  });
  context.record({ usage: reply.usage, cost: priceRequest(model, reply.tokens) });
  const options = {
    headers: { 'request-id': requestId, 'anthropic-organization-id': 'org-simulated' },
    fault,
    onFirstByte: () => state.cache.write(workspace, split.writes, state.options.clock.now()),
  };
  return outcome.request.body['stream'] === true
    ? sendStream(response, reply, { ...options, chunking: request.headers['x-simulator-chunking'] })
    : sendMessage(response, reply, options);
}

/** A step whose fault is over, or that breaks its own answer, says what its `then` says, else "ok". */
function stepAfterFault(json: JsonObject): JsonObject {
  if (json['fault'] === undefined) return json;
  return isObject(json['then']) ? json['then'] : {};
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw refuse(`The request body is not valid JSON: ${error instanceof Error ? error.name : 'unreadable'}`);
  }
}

/** §1.16.2 rows 21 and 22. */
function checkWindow({ model, rules, body }: MessagesRequest, { totalTokens }: RenderedPrompt): void {
  const window = model.capabilities.contextTokens;
  if (totalTokens > window) throw refuse(`prompt is too long: ${totalTokens} tokens > ${window} maximum`);
  const maxTokens = Number(body['max_tokens'] ?? 0);
  if (!rules.refusesOverflow || totalTokens + maxTokens <= window) return;
  throw refuse(
    `input length and \`max_tokens\` exceed context limit: ${totalTokens} + ${maxTokens} > ${window}, ` +
      'decrease input length or `max_tokens` and try again',
  );
}

function faultRecord(fault: Fault): Partial<Draft> {
  const statuses: Partial<Record<Fault['kind'], number>> = { status: fault.status, html: 502 };
  const message = fault.message ?? `injected ${fault.kind}`;
  return { status: statuses[fault.kind] ?? 0, error: { type: 'simulator_fault', message } };
}
