import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { messagesApi } from './anthropic/messages-api.ts';
import { anthropic } from './anthropic/vendor.ts';
import { ApiError } from './api-error.ts';
import { draftRecord } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { geminiApi } from './gemini/gemini-api.ts';
import { gemini } from './gemini/vendor.ts';
import type { ModelApi } from './model-api.ts';
import { asksGoogle, asksOpenai, findListing } from './model-listing.ts';
import type { ListingAnswer } from './model-listing.ts';
import { serveModel } from './model-route.ts';
import { chatApi } from './openai/chat/chat-api.ts';
import { responsesApi } from './openai/responses/responses-api.ts';
import { openai } from './openai/vendor.ts';
import { sendJson } from './send-json.ts';
import type { SimulatorState } from './state.ts';
import type { Vendor } from './vendor.ts';
/** Serves one request; never rejects. The query is ignored but by the listings of models. */
export async function serve(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const exchange: Exchange = {
    request,
    response,
    method: request.method ?? 'GET',
    path,
    requestId: state.ids('req_'),
    startedAtMs: state.options.clock.now(),
    vendor: vendorOf(path, request.headers),
  };
  response.on('error', () => response.destroy());
  const route = `${exchange.method} ${exchange.path}`;
  const api =
    modelRoutes[route] ?? (exchange.method === 'POST' && geminiMethod.test(path) ? geminiApi : undefined);
  if (api !== undefined) return serveModel(state, exchange, api).catch(() => void response.destroy());
  request.resume();
  if (exchange.path.startsWith('/_simulator/')) return serveOwnRoute(state, exchange, route);
  serveSmallRoute(state, exchange);
}

const modelRoutes: Readonly<Record<string, ModelApi>> = {
  'POST /v1/messages': messagesApi,
  'POST /v1/messages/count_tokens': messagesApi,
  'POST /v1/responses': responsesApi,
  'POST /v1/chat/completions': chatApi,
};

/** Of either version, which the simulator does not tell apart: Google's SDK asks for `v1` since its 3.0. */
const geminiMethod = /^\/v1(?:beta)?\/models\/[^/]+:(?:generateContent|streamGenerateContent|countTokens)$/;

/** Whose envelope a path answers in; where two vendors have it, the headers tell. */
function vendorOf(path: string, headers: IncomingHttpHeaders): Vendor {
  if (/^\/v1\/(?:responses|chat)(?:\/|$)/.test(path)) return openai;
  if (path.startsWith('/v1/messages')) return anthropic;
  if (path.startsWith('/v1beta/') || geminiMethod.test(path) || asksGoogle(headers)) return gemini;
  return asksOpenai(headers) ? openai : anthropic;
}

/** The simulator's own routes: no part of the API, and on no record. */
function serveOwnRoute(state: SimulatorState, { response }: Exchange, route: string): void {
  if (route === 'GET /_simulator/requests') {
    sendJson(response, { requests: state.log.requests(), bill: state.log.bill() }, { status: 200 });
  } else if (route === 'POST /_simulator/reset') {
    state.reset();
    sendJson(response, {}, { status: 200 });
  } else {
    sendJson(
      response,
      { error: `no route ${route}; there are GET /_simulator/requests and POST /_simulator/reset` },
      { status: 404 },
    );
  }
}

function serveSmallRoute(state: SimulatorState, exchange: Exchange): void {
  const draft = draftRecord(exchange);
  const record = (changes: Partial<typeof draft>): void =>
    state.record({ ...draft, ...changes }, Buffer.alloc(0));
  try {
    const { status, body } = smallAnswer(state, exchange);
    record({ status });
    const headers = { [exchange.vendor.requestIdHeader]: exchange.requestId };
    sendJson(exchange.response, body, { status, headers });
  } catch (error) {
    state.fail(exchange, error, record);
  }
}

function smallAnswer(
  { options }: SimulatorState,
  { request, method, path, vendor }: Exchange,
): ListingAnswer {
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/api/hello') return { status: 200, body: { message: 'hello' } };
  if (request.headers.upgrade !== undefined) return refuseUpgrade(vendor);
  const listing = findListing({ method, url: request.url ?? '/', headers: request.headers }, options.catalog);
  if (listing !== undefined) return listing;
  throw new ApiError('not_found_error', `Not found: ${method} ${path}`);
}

/** Clients that try a WebSocket first fall back to HTTP at once. */
function refuseUpgrade(vendor: Vendor): ListingAnswer {
  const message = 'WebSockets are not simulated; use HTTP.';
  const refusal = {
    status: 426,
    type: 'invalid_request_error',
    message,
    detail: undefined,
    param: undefined,
  } as const;
  return { status: 426, body: vendor.errorBody(refusal, '') };
}
