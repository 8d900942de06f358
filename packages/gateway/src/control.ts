import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { KnownVerdict } from './check/checks.ts';
import { isAllowed } from './control/access.ts';
import { type ApiSource, createApi } from './control/api.ts';
import type { Counters } from './counters.ts';
import type { LedgerStats } from './ledger/stats.ts';
import type { Preset } from './options.ts';

/** What the control routes show; asked at each request. */
export interface ControlSource extends ApiSource {
  readonly preset: () => Preset;
  readonly counters: Counters;
  readonly ledger: () => LedgerStats;
  readonly verdicts: () => readonly KnownVerdict[];
  /** `undefined`: ready; else what is missing, for people. */
  readonly findUnreadiness: () => Promise<string | undefined>;
  /** `undefined`: closed (SG3). */
  readonly signals: Hono<{ Bindings: HttpBindings }> | undefined;
}

/** `/healthz`, `/readyz`, `/stats`, `/api/v1` and the clients' signals. */
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
  app.route('/api/v1', createApi(source));
  if (source.signals !== undefined) app.route('/', source.signals);
  app.notFound((context) => {
    const { method, path } = context.req;
    const message = `expected a route of the gateway and its method, such as GET /stats, got ${method} ${path}.`;
    return context.json({ error: { code: 'GATEWAY_UNKNOWN_ROUTE', message } }, 404);
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

function statsOf({ preset, counters, ledger, verdicts }: ControlSource): object {
  return {
    preset: preset(),
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
      retries_400: counters.retries400,
      turned_off: counters.turnedOff,
      stripped_answers: counters.strippedAnswers,
      unwritten_turns: counters.unwrittenTurns,
      unplaced_searches: counters.unplacedSearches,
      resolved_requests: counters.resolvedRequests,
      continuations: counters.continuations,
      asks: counters.asks,
      verdicts: verdicts(),
    },
    tool_remove: {
      threads: counters.threadsWithRemoval,
      tools: counters.toolsRemoved,
      tokens_o200k: counters.tokensRemovedO200k,
    },
  };
}
