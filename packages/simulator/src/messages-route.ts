import { answer } from './answer.ts';
import { refuse } from './api-error.ts';
import type { RequestDraft } from './bill.ts';
import { draftRecord } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { faultOfHeader, recordOf, replacesReply } from './faults.ts';
import { readBody } from './read-body.ts';
import { sendFault, sendJson } from './respond.ts';
import type { SimulatorState } from './state.ts';
import { BindingError } from './thinking.ts';
import { isCount, understand } from './understand.ts';

/**
 * `POST /v1/messages` and `/v1/messages/count_tokens`. Every request is recorded before the first byte of its answer,
 * also when it is refused.
 */
export async function serveMessages(state: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, requestId } = exchange;
  let body: Buffer = Buffer.alloc(0);
  let draft = draftRecord(exchange, undefined);
  const record = (changes: Partial<RequestDraft>): void => state.record({ ...draft, ...changes }, body);
  try {
    body = await readBody(request);
    const headerFault = faultOfHeader(request.headers);
    if (headerFault !== undefined && replacesReply(headerFault)) {
      record(recordOf(headerFault));
      return await sendFault(response, headerFault, requestId);
    }
    const json = parseJson(body);
    draft = draftRecord(exchange, json);
    const understood = understand(state, exchange, { json, draft });
    draft = understood.draft;
    if (!isCount(exchange)) return await answer(state, exchange, { understood, headerFault, record });
    record({});
    const headers = { 'request-id': requestId };
    return sendJson(response, { input_tokens: understood.prompt.totalTokens }, { status: 200, headers });
  } catch (error) {
    state.fail(exchange, error, (failure) =>
      record({ ...failure, brokenBinding: error instanceof BindingError }),
    );
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw refuse(`The request body is not valid JSON: ${error instanceof Error ? error.name : 'unreadable'}`);
  }
}
