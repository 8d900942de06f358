import { BindingError } from './anthropic/thinking.ts';
import { ApiError } from './api-error.ts';
import type { RequestDraft } from './bill.ts';
import { chunkingOf } from './chunking.ts';
import { decide } from './decision.ts';
import { draftRecord } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { faultOfHeader, recordOf, replacesReply } from './faults.ts';
import type { Fault } from './faults.ts';
import type { AskedTurn, ModelApi } from './model-api.ts';
import { readBody } from './read-body.ts';
import { sendFault, sendStream, sendWhole } from './respond.ts';
import { sendJson } from './send-json.ts';
import type { SimulatorState } from './state.ts';

type RecordRequest = (changes: Partial<RequestDraft>) => void;

/** Serves a route of a model. Every request is recorded before the first byte of its answer, also when it is refused. */
export async function serveModel(state: SimulatorState, exchange: Exchange, api: ModelApi): Promise<void> {
  const { request, response, requestId, vendor } = exchange;
  let body: Buffer = Buffer.alloc(0);
  let draft = draftRecord(exchange);
  const record: RecordRequest = (changes) => state.record({ ...draft, ...changes }, body);
  try {
    body = await readBody(request);
    const headerFault = faultOfHeader(request.headers);
    if (headerFault !== undefined && replacesReply(headerFault)) {
      record(recordOf(headerFault));
      return await sendFault(exchange, headerFault);
    }
    const json = parseJson(body, exchange);
    draft = draftRecord(exchange, api.declare(json, exchange));
    const understood = api.understand(state, exchange, json);
    draft = { ...draft, ...understood.record };
    if (understood.type === 'turn') return await answer(state, exchange, { understood, headerFault, record });
    record({});
    const headers = { [vendor.requestIdHeader]: requestId };
    return sendJson(response, understood.body, { status: 200, headers });
  } catch (error) {
    state.fail(exchange, error, (failure) =>
      record({ ...failure, brokenBinding: error instanceof BindingError }),
    );
  }
}

/** Asks the model and sends what it says, or the fault that the script or the request's header wants. */
async function answer(
  state: SimulatorState,
  exchange: Exchange,
  context: {
    readonly understood: AskedTurn;
    readonly headerFault: Fault | undefined;
    readonly record: RecordRequest;
  },
): Promise<void> {
  const { request, response, requestId, vendor } = exchange;
  const { understood, headerFault, record } = context;
  const chunking = chunkingOf(request.headers['x-simulator-chunking']);
  const decision = decide(state, understood.conversation);
  const fault = decision.fault ?? headerFault;
  if (fault !== undefined && replacesReply(fault)) {
    record(recordOf(fault));
    return sendFault(exchange, fault);
  }
  const reply = understood.say(decision.step, fault);
  record({ usage: reply.usage, cost: reply.cost });
  const headers = { [vendor.requestIdHeader]: requestId, ...understood.headers };
  return understood.isStream
    ? sendStream(response, reply, { headers, chunking })
    : sendWhole(response, reply, { headers, fault });
}

function parseJson(body: Buffer, { vendor }: Exchange): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiError('invalid_request_error', vendor.badJson);
  }
}
