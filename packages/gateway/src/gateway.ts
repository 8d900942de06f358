import { type Checks, createChecks } from './check/checks.ts';
import { createUnknownModels } from './check/unknown-models.ts';
import { createControl } from './control.ts';
import { createCounters } from './counters.ts';
import { createDecider } from './decide.ts';
import { createDataPlane, refuseUpgrade } from './data-plane.ts';
import { createHistory, type History } from './history.ts';
import { isTooLong } from './http/body.ts';
import { createUpstream, type Upstream } from './http/upstream.ts';
import { createMessagesPlanner } from './messages.ts';
import { type AbsentStore, defaultLimits, type Gateway, type GatewayOptions } from './options.ts';
import { createPlans, type Plans } from './plans.ts';
import { createReadiness } from './readiness.ts';
import { createRefusals } from './refusal/refusals.ts';
import { createTurnOffs, type TurnOffs } from './refusal/turn-offs.ts';
import { type Dialect, localTenant, matchRoute } from './routes.ts';
import { createAskedChecks } from './signals/asked-checks.ts';
import { createAsks } from './signals/asks.ts';
import { createOptOuts, type OptOuts } from './signals/opt-outs.ts';
import { createSignalRoutes, signalPaths } from './signals/routes.ts';
import { createThreads } from './threads/threads.ts';
import { createUpkeep } from './upkeep.ts';

/** Makes a gateway. It opens no port: its listeners belong on one `http.createServer`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { log, clock, ids, preset } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const store = 'absent' in options.store ? undefined : options.store;
  const upstreams: Record<Dialect, Upstream> = {
    anthropic: createUpstream(options.upstreams.anthropic),
    openai: createUpstream(options.upstreams.openai),
    gemini: createUpstream(options.upstreams.gemini),
  };
  const counters = createCounters();
  const history = createHistory({ store: store?.history, clock, log });
  const checks = createChecks({ store: store?.verdicts, clock, ids, log });
  const plans = createPlans({ store: store?.plans, clock, log });
  const turnOffs = createTurnOffs({ store: store?.turnOffs, clock, log });
  const isSeen = (tenant: string, session: string): boolean => history.knows(tenant, session);
  const optOuts = createOptOuts({ store: store?.optOuts, isSeen, clock, log });
  const asks = createAsks();
  const threads = createThreads({ store, clock, ids, log, ...limits });
  const upkeep = createUpkeep({
    store,
    history,
    plans,
    turnOffs,
    optOuts,
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
          }),
          plans,
          history,
          log,
          maxBodyBytes: limits.bodyBytes,
          optOuts,
          readMs: limits.readMs,
          threads,
          turnOffs,
          unknownModels: createUnknownModels(log),
        });
  const areSignalsOpen = options.clientSignals !== 'off';
  const control = createControl({
    preset,
    counters,
    verdicts: () => checks.known(),
    findUnreadiness: createReadiness({ store, upstream: upstreams.anthropic, clock }),
    adminToken: options.adminToken,
    signals: areSignalsOpen
      ? createSignalRoutes({ optOuts, asks, counters, adminToken: options.adminToken })
      : undefined,
  });
  if ('absent' in options.store && preset === 'ultrahigh') warnWithoutStore(options, options.store);
  if (options.catalog.models.length === 0 && preset === 'ultrahigh') {
    log.warn({}, 'there is no price table, so no model is checked and no tool is deferred (CH4)');
  }

  const dataPlane = createDataPlane({
    upstreams,
    planner,
    refusals: createRefusals({
      upstream: upstreams.anthropic.name,
      checks,
      threads,
      turnOffs,
      counters,
      log,
    }),
    askedChecks: createAskedChecks({
      asks,
      catalog: options.catalog,
      checks,
      upstream: upstreams.anthropic,
      log,
      maxBodyBytes: limits.bodyBytes,
    }),
    counters,
    clock,
    ids,
    log,
    maxBodyBytes: limits.bodyBytes,
  });
  const ready = loadAll(options, { history, plans, checks, turnOffs, optOuts });
  const listener: Gateway['listener'] = (request, response) => {
    const target = request.url ?? '/';
    const route = matchRoute(request.method ?? 'GET', target);
    if (route !== undefined) void dataPlane.answer(request, response, route);
    else if (controlPaths.test(target) || (areSignalsOpen && signalPaths.test(target)))
      void control(request, response);
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
    async close() {
      await Promise.all([ready, checks.close()]);
      await upkeep.close();
      await threads.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
    },
  };
}

interface Loaded {
  readonly checks: Checks;
  readonly history: History;
  readonly plans: Plans;
  readonly turnOffs: TurnOffs;
  readonly optOuts: OptOuts;
}

const controlPaths = /^\/(healthz|readyz|stats)(\?|$)/;

/** HI5: what is not loaded when the port opens would decide threads for life; so all of it is, or it is logged. */
async function loadAll({ log }: GatewayOptions, { checks, ...ofTenant }: Loaded): Promise<void> {
  try {
    await Promise.all([checks.load(), ...Object.values(ofTenant).map((part) => part.load(localTenant))]);
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
