import { timingSafeEqual, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { KnownVerdict } from './check/checks.ts';
import type { Counters } from './counters.ts';
import type { LedgerStats } from './ledger/stats.ts';
import type { Preset } from './options.ts';

/** What the control routes show; asked at each request. */
export interface ControlSource {
  readonly preset: Preset;
  readonly counters: Counters;
  readonly ledger: () => LedgerStats;
  readonly verdicts: () => readonly KnownVerdict[];
  /** `undefined`: ready; else what is missing, for people. */
  readonly findUnreadiness: () => Promise<string | undefined>;
  readonly adminToken: string | undefined;
}

/** `/healthz`, `/readyz` and `/stats`. */
export function createControl(source: ControlSource): ReturnType<typeof getRequestListener> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    const missing = await source.findUnreadiness();
    if (missing !== undefined) return context.json({ status: 'not ready', missing }, 503);
    return context.json({ status: 'ready' });
  });
  app.use('/stats', async (context, next) => {
    if (isAllowed(context.env.incoming, source.adminToken)) return next();
    const message = 'off loopback, /stats expects the admin token (QM_ADMIN_TOKEN) as a bearer token.';
    return context.json({ error: { code: 'GATEWAY_NOT_AUTHORISED', message } }, 401);
  });
  app.get('/stats', (context) => context.json(statsOf(source)));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

function statsOf({ preset, counters, ledger, verdicts }: ControlSource): object {
  return {
    preset,
    requests: counters.requests,
    own_errors: Object.fromEntries(counters.ownErrors),
    tool_defer: {
      ...ledger(),
      threads_decided: counters.threadsDecided,
      units_deferred: counters.unitsDeferred,
      tokens_deferred_o200k: counters.tokensDeferredO200k,
      requests_rewritten: counters.rewritten,
      unchanged_reasons: Object.fromEntries(counters.unchangedReasons),
      nothing_reasons: Object.fromEntries(counters.nothingReasons),
      record_unreadable: counters.recordUnreadable,
      flips: counters.flips,
      bypasses: counters.bypasses,
      rebuilds: counters.rebuilds,
      verdicts: verdicts(),
    },
  };
}

function isAllowed(request: IncomingMessage, adminToken: string | undefined): boolean {
  if (isLoopback(request.socket.localAddress)) return true;
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  return adminToken !== undefined && scheme === 'Bearer' && token !== undefined && isSame(token, adminToken);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1$|127\.|::ffff:127\.)/.test(address);
}

/** In constant time, whatever the lengths. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
