import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Counters, increment } from './counters.ts';
import { GatewayError } from './errors.ts';
import { readBody, requireLength } from './http/body.ts';
import { replyWithError } from './http/error-reply.ts';
import { forward } from './http/forward.ts';
import type { Upstream } from './http/upstream.ts';
import type { MessagesPlanner } from './messages.ts';
import type { Clock, Log } from './options.ts';
import type { MessagesPlan } from './plan.ts';
import type { Refusals } from './refusal/refusals.ts';
import {
  type Exchange,
  sendResolved,
  sendRewritten,
  sendUnreadable,
  sendWithDroppedThinking,
} from './refusal/resend.ts';
import { createRelays } from './relays.ts';
import type { SearchTurns } from './search/search-turns.ts';
import { type Dialect, localTenant, type Route } from './routes.ts';
import type { AskedChecks } from './signals/asked-checks.ts';

/** Serves the providers' routes; what goes wrong here is answered in the caller's dialect and counted. */
export interface DataPlane {
  /** Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse, route: Route): Promise<void>;
  refuseUnknown(request: IncomingMessage, response: ServerResponse): void;
}

/** What the providers' routes are served with. */
export interface DataPlaneOptions {
  readonly upstreams: Readonly<Record<Dialect, Upstream>>;
  readonly planner: MessagesPlanner;
  readonly refusals: Refusals;
  readonly searchTurns: SearchTurns;
  readonly askedChecks: AskedChecks;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Log;
  readonly maxBodyBytes: number;
}

interface Sending extends Pick<Exchange, 'request' | 'response' | 'target' | 'original'> {
  readonly requestId: string;
}

const unplanned: MessagesPlan = { type: 'unchanged', reason: 'off' };

/** Holds nothing of its own: a request's state lives in its call. */
export function createDataPlane(options: DataPlaneOptions): DataPlane {
  const { upstreams, planner, askedChecks, counters, clock, ids, log, maxBodyBytes } = options;
  const relays = createRelays({ ...options, tell });

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { route, requestId }: { readonly route: Route; readonly requestId: string },
  ): Promise<void> {
    const target = { upstream: upstreams[route.dialect], path: route.path, rawHeaders: request.rawHeaders };
    const isCount = route.kind === 'counted' && route.dialect === 'anthropic';
    const isPlanned = (route.kind === 'messages' || isCount) && planner.isReading(localTenant);
    if (!isPlanned && !(route.kind === 'messages' && askedChecks.isAwaited(localTenant))) {
      const maxBytes = route.kind === 'opaque' ? Infinity : maxBodyBytes;
      requireLength(request, maxBytes);
      await forward(request, response, { ...target, body: { type: 'stream', maxBytes } });
      return;
    }
    const body = await readBody(request, maxBodyBytes);
    const read = { tenant: localTenant, headers: request.headers, path: route.path, body };
    if (!isCount) void askedChecks.use(read);
    const plan = isPlanned ? await (isCount ? planner.planCount(read) : planner.plan(read)) : unplanned;
    await send(plan, { request, response, target, original: body, requestId });
  }

  async function send(plan: MessagesPlan, sending: Sending): Promise<void> {
    if (plan.type === 'wait') throw recordUnreadable();
    const { request, response, original } = sending;
    const { entry } = plan;
    const target = { ...sending.target, onAnswer: entry?.answered };
    if (plan.type === 'unchanged') {
      await forward(request, response, { ...target, body: original });
      return;
    }
    if (plan.type === 'resolved') return sendResolved({ ...sending, target }, plan.body);
    const { conversation } = plan;
    const { refusals } = options;
    const exchange: Exchange = { ...sending, target, conversation, refusals, onRefused: plan.entry.refused };
    switch (plan.type) {
      case 'edited': {
        const relay = plan.answer && relays(plan, plan.answer, sending);
        return sendRewritten({ ...exchange, ...(relay && { relay }) }, plan.body, plan.decision);
      }
      case 'unreadable':
        return sendUnreadable(exchange);
      case 'prefix-lost':
        return sendWithDroppedThinking(exchange);
    }
  }

  function tell(error: GatewayError, requestId: string): void {
    increment(counters.ownErrors, error.code);
    log.warn({ requestId, code: error.code, detail: error.message }, 'answered with an error');
  }

  function refuse(
    cause: unknown,
    response: ServerResponse,
    context: { dialect: Dialect; requestId: string },
  ): void {
    const error = toGatewayError(cause);
    tell(error, context.requestId);
    replyWithError(response, error, { ...context, headers: headersOf(error) });
  }

  return {
    async answer(request, response, route) {
      const startedMs = clock.now();
      const requestId = `req_${ids()}`;
      counters.requests += 1;
      try {
        await serve(request, response, { route, requestId });
      } catch (cause) {
        // A client that left while its body was read has nobody to be told.
        if (!request.destroyed || !request.readableAborted) {
          refuse(cause, response, { dialect: route.dialect, requestId });
        }
      }
      const facts = { requestId, method: request.method, dialect: route.dialect, kind: route.kind };
      log.info({ ...facts, status: response.statusCode, ms: clock.now() - startedMs }, 'request');
    },
    refuseUnknown(request, response) {
      const path = (request.url ?? '').split('?', 1)[0];
      const message = `expected a path below /anthropic, /openai/v1 or /gemini (or /healthz, /readyz, /stats, /api/v1), got ${path}.`;
      const error = new GatewayError('GATEWAY_UNKNOWN_ROUTE', message);
      refuse(error, response, { dialect: 'anthropic', requestId: `req_${ids()}` });
    },
  };
}

/** Answers 426: clients that try a WebSocket first fall back to HTTP at once. */
export function refuseUpgrade(_request: IncomingMessage, socket: Duplex): void {
  const body = 'quartermaster gateway: no upgrades here; use plain HTTP. (GATEWAY_UPGRADE_REFUSED)\n';
  // The client may be gone already; nothing of ours waits for it.
  socket.on('error', () => socket.destroy());
  socket.end(
    'HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function recordUnreadable(): GatewayError {
  return new GatewayError(
    'GATEWAY_RECORD_UNREADABLE',
    "this conversation's record can't be read just now, and without it the provider would refuse the request; try again.",
  );
}

/** O3: a second later the store may answer. A body left unread makes the connection useless. */
function headersOf({ code }: GatewayError): Record<string, string> {
  if (code === 'GATEWAY_RECORD_UNREADABLE') return { 'retry-after': '1' };
  return code === 'GATEWAY_BODY_TOO_LARGE' ? { connection: 'close' } : {};
}

function toGatewayError(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const name = cause instanceof Error && 'code' in cause ? String(cause.code) : 'an unknown fault';
  return new GatewayError('GATEWAY_UPSTREAM_UNREACHABLE', `the request could not be sent on (${name}).`, {
    cause,
  });
}
