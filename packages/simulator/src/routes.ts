import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Model } from '@quartermaster/catalog';
import { ApiError } from './api-error.ts';
import { draftRecord } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import type { JsonObject } from './json.ts';
import { serveMessages } from './messages-route.ts';
import { sendJson } from './respond.ts';
import type { SimulatorState } from './state.ts';

/** Serves one request; never rejects. The query is ignored. */
export async function serve(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange: Exchange = {
    request,
    response,
    method: request.method ?? 'GET',
    path: (request.url ?? '/').split('?', 1)[0] ?? '/',
    requestId: state.ids('req_'),
    startedAtMs: state.options.clock.now(),
  };
  response.on('error', () => response.destroy());
  const route = `${exchange.method} ${exchange.path}`;
  if (route === 'POST /v1/messages' || route === 'POST /v1/messages/count_tokens') {
    return serveMessages(state, exchange).catch(() => {
      response.destroy();
    });
  }
  request.resume();
  if (exchange.path.startsWith('/_simulator/')) return serveOwnRoute(state, exchange, route);
  serveSmallRoute(state, exchange);
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
  const draft = draftRecord(exchange, undefined);
  const record = (changes: Partial<typeof draft>): void =>
    state.record({ ...draft, ...changes }, Buffer.alloc(0));
  try {
    const body = smallBody(state, exchange);
    record({});
    sendJson(exchange.response, body, { status: 200, headers: { 'request-id': exchange.requestId } });
  } catch (error) {
    state.fail(exchange, error, record);
  }
}

function smallBody({ options }: SimulatorState, { method, path }: Exchange): JsonObject {
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/api/hello') return { message: 'hello' };
  const models = options.catalog.models.filter((model) => model.provider === 'anthropic');
  if (isRead && path === '/v1/models') {
    return {
      data: models.map(modelJson),
      has_more: false,
      first_id: models[0]?.id ?? null,
      last_id: models.at(-1)?.id ?? null,
    };
  }
  const id = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
  const model = isRead && id !== undefined ? options.catalog.find(decodeURIComponent(id)) : undefined;
  if (model !== undefined) return modelJson(model);
  throw new ApiError('not_found_error', id === undefined ? `Not found: ${method} ${path}` : `model: ${id}`);
}

function modelJson(model: Model): JsonObject {
  return { type: 'model', id: model.id, display_name: model.id, created_at: '2026-01-01T00:00:00Z' };
}
