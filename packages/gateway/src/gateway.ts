import { type Checks, createChecks } from './check/checks.ts';
import { createControl } from './control.ts';
import { createCounters } from './counters.ts';
import { createDecider } from './decide.ts';
import { createDataPlane, refuseUpgrade } from './data-plane.ts';
import { createHistory, type History } from './history.ts';
import { isTooLong } from './http/body.ts';
import { createUpstream, type Upstream } from './http/upstream.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import { createMessagesPlanner } from './messages.ts';
import { type AbsentStore, defaultLimits, type Gateway, type GatewayOptions } from './options.ts';
import { createPlans, type Plans } from './plans.ts';
import { createReadiness } from './readiness.ts';
import { type Dialect, localTenant, matchRoute } from './routes.ts';
import { createThreads } from './threads/threads.ts';
import { createUpkeep } from './upkeep.ts';

/** Makes a gateway. It opens no port: its listeners belong on one `http.createServer`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { log, clock, ids, preset } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const holdoutShare = options.holdoutShare ?? 0;
  const store = 'absent' in options.store ? undefined : options.store;
  const upstreams: Record<Dialect, Upstream> = {
    anthropic: createUpstream(options.upstreams.anthropic),
    openai: createUpstream(options.upstreams.openai),
    gemini: createUpstream(options.upstreams.gemini),
  };
  const counters = createCounters();
  const history = createHistory({ store: store?.history, clock, log });
  const checks = createChecks({ store: store?.verdicts, clock, ids, log });
  // Projections of `observe` are made in memory alone.
  const plans = createPlans({ store: preset === 'observe' ? undefined : store?.plans, clock, log });
  const threads = createThreads({ store, clock, ids, log, ...limits });
  const ledger = createLedger({
    store: store?.ledger,
    countTokens: options.countTokens,
    clock,
    log,
    isProjecting: preset === 'observe',
    hasHoldout: holdoutShare > 0,
  });
  const upkeep = createUpkeep({
    store,
    history,
    ledger,
    plans,
    threads,
    clock,
    log,
    retentionDays: options.retentionDays ?? 30,
  });
  const planner =
    preset === 'off'
      ? undefined
      : createMessagesPlanner({
          preset,
          defer: options.defer ?? 'auto',
          hasStore: store !== undefined,
          salt: store?.salt ?? ids(),
          upstream: upstreams.anthropic,
          catalog: options.catalog,
          checks,
          counters,
          decider: createDecider({
            history,
            plans,
            countTokens: options.countTokens,
            keep: options.keep ?? [],
            holdoutShare,
          }),
          plans,
          history,
          ledger,
          log,
          maxBodyBytes: limits.bodyBytes,
          threads,
        });
  const control = createControl({
    preset,
    counters,
    ledger: () => ledger.stats(localTenant),
    verdicts: () => checks.known(),
    findUnreadiness: createReadiness({ store, upstream: upstreams.anthropic, clock }),
    adminToken: options.adminToken,
  });
  if ('absent' in options.store && preset === 'ultrahigh') warnWithoutStore(options, options.store);

  const dataPlane = createDataPlane({
    upstreams,
    planner,
    counters,
    clock,
    ids,
    log,
    maxBodyBytes: limits.bodyBytes,
  });
  const ready = loadAll(options, { history, ledger, plans, checks });
  const listener: Gateway['listener'] = (request, response) => {
    const target = request.url ?? '/';
    const route = matchRoute(request.method ?? 'GET', target);
    if (route !== undefined) void dataPlane.answer(request, response, route);
    else if (controlPaths.test(target)) void control(request, response);
    else dataPlane.refuseUnknown(request, response);
  };
  return {
    ready,
    listener,
    checkContinue(request, response) {
      const route = matchRoute(request.method ?? 'GET', request.url ?? '/');
      if (route?.kind === 'opaque' || !isTooLong(request, limits.bodyBytes)) response.writeContinue();
      listener(request, response);
    },
    upgrade: refuseUpgrade,
    settled: () => ledger.settled(),
    async close() {
      await Promise.all([ready, checks.close()]);
      await ledger.settled();
      await upkeep.close();
      await threads.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
    },
  };
}

const controlPaths = /^\/(healthz|readyz|stats)(\?|$)/;

/** HI5: what is not loaded when the port opens would decide threads for life; so all of it is, or it is logged. */
async function loadAll(
  { log }: GatewayOptions,
  {
    history,
    ledger,
    plans,
    checks,
  }: {
    readonly history: History;
    readonly ledger: Ledger;
    readonly plans: Plans;
    readonly checks: Checks;
  },
): Promise<void> {
  try {
    await Promise.all([
      history.load(localTenant),
      ledger.load(localTenant),
      plans.load(localTenant),
      checks.load(),
    ]);
  } catch (error) {
    const facts = { error: error instanceof Error ? error.message : typeof error };
    log.error(
      facts,
      'history could not be loaded; new conversations are not deferred until a restart loads it',
    );
  }
}

function warnWithoutStore({ log }: GatewayOptions, { absent, detail }: AbsentStore): void {
  const why = absent === 'not-configured' ? 'no store is configured' : 'the store could not be opened';
  log.warn({ absent, detail }, `${why}, so no tool is deferred and every request goes upstream as it came`);
}
