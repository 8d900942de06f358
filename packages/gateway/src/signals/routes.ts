import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { requireAccess } from '../control/access.ts';
import type { Counters } from '../counters.ts';
import { GatewayError, gatewayErrors } from '../errors.ts';
import { readBody } from '../http/body.ts';
import { localTenant } from '../routes.ts';
import type { Asks } from './asks.ts';
import type { OptOuts } from './opt-outs.ts';
import { isEmptyOrObject, readSignal } from './signal.ts';

type Bindings = { readonly Bindings: HttpBindings };

/** SG4. */
const maxBodyBytes = 4 * 1024;

/** The paths of the signals; where signals are closed they are as unknown as any other. */
export const signalPaths = /^\/(?:tool-search|tool-defer\/probe)(?:\?|$)/;

/** What clients' signals act on. */
export interface SignalRoutesOptions {
  readonly optOuts: OptOuts;
  readonly asks: Asks;
  readonly counters: Counters;
  readonly adminToken: string | undefined;
}

/** `POST /tool-search` and `POST /tool-defer/probe` (SG1–SG4, CH8). */
export function createSignalRoutes(options: SignalRoutesOptions): Hono<Bindings> {
  const { optOuts, asks, counters, adminToken } = options;
  const app = new Hono<Bindings>();

  app.post('/tool-search', (context) =>
    answer(context, async (body) => {
      const reading = readSignal(body);
      if (reading.type === 'refused') throw badSignal(reading.reason);
      const { session, isOptOut } = reading.signal;
      if (isOptOut) await optOuts.optOut(localTenant, session);
      return context.body(null, 204);
    }),
  );

  app.post('/tool-defer/probe', (context) =>
    answer(context, (body) => {
      if (!isEmptyOrObject(body)) throw badSignal('no body or a JSON object');
      asks.add(localTenant);
      counters.asks += 1;
      return context.json({ probe: 'asked' }, 202);
    }),
  );

  async function answer(
    context: Context<Bindings>,
    use: (body: string) => Response | Promise<Response>,
  ): Promise<Response> {
    counters.requests += 1;
    const { incoming } = context.env;
    try {
      requireAccess(incoming, adminToken);
      requireJson(incoming);
      return await use((await readSmallBody(incoming)).toString('utf8'));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // A body left unread makes the connection useless.
      context.header('connection', 'close');
      const { code, message } = error;
      return context.json({ error: { code, message } }, gatewayErrors[code].status);
    }
  }

  return app;
}

/** A web page can send a form or a text without being asked; JSON it can't. */
function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? 'none';
  if (/^application\/json\s*(?:;|$)/i.test(type)) return;
  throw new GatewayError('GATEWAY_NOT_JSON', `expected content-type application/json, got ${type}.`);
}

async function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  try {
    return await readBody(request, maxBodyBytes);
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    throw new GatewayError(cause.code, `expected a signal of at most ${maxBodyBytes} bytes, got more.`, {
      cause,
    });
  }
}

function badSignal(reason: string): GatewayError {
  return new GatewayError('GATEWAY_BAD_REQUEST', `${reason}; nothing was changed.`);
}
