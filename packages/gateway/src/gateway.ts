import type { Store } from '@quartermaster/store';
import { type Accounts, createAccounts } from './account/accounts.ts';
import { isEditing } from './account/settings.ts';
import { type Checks, createChecks } from './check/checks.ts';
import { createControl } from './control.ts';
import { type Counters, createCounters } from './counters.ts';
import { createDecider } from './decide.ts';
import { createDataPlane, refuseUpgrade } from './data-plane.ts';
import { createHistory, type History } from './history.ts';
import { isTooLong } from './http/body.ts';
import { createUpstream, type Upstream } from './http/upstream.ts';
import { createMessagesPlanner } from './messages.ts';
import {
  type AbsentStore,
  defaultLimits,
  type Gateway,
  type GatewayOptions,
  type Preset,
} from './options.ts';
import { createPlans, type Plans } from './plans.ts';
import { createReadiness } from './readiness.ts';
import { type Dialect, localTenant, matchRoute } from './routes.ts';
import { createThreadOverview } from './threads/overview.ts';
import { createRecordPresence, type RecordPresence } from './threads/presence.ts';
import { createThreads, type Threads } from './threads/threads.ts';
import { createUpkeep } from './upkeep.ts';

/** Makes a gateway. It opens no port: its listeners belong on one `http.createServer`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { log, clock, ids } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const store = 'absent' in options.store ? undefined : options.store;
  const upstreams: Record<Dialect, Upstream> = {
    anthropic: createUpstream(options.upstreams.anthropic),
    openai: createUpstream(options.upstreams.openai),
    gemini: createUpstream(options.upstreams.gemini),
  };
  const upstream = upstreams.anthropic;
  const parts = createParts(options, store);
  const { accounts, counters, checks, threads } = parts;
  const upkeep = createUpkeep({ ...parts, store, clock, log, retentionDays: options.retentionDays ?? 30 });
  const planner = createMessagesPlanner({
    ...parts,
    hasStore: store !== undefined,
    salt: store?.salt ?? ids(),
    upstream,
    catalog: options.catalog,
    decider: createDecider({ ...parts, countTokens: options.countTokens }),
    log,
    maxBodyBytes: limits.bodyBytes,
  });
  const preset = (): Preset => accounts.settingsOf(localTenant).preset;
  const control = createControl({
    preset,
    counters,
    verdicts: () => checks.known(),
    findUnreadiness: createReadiness({ store, upstream, clock }),
    accounts,
    overview: createThreadOverview({ threads, store: store?.threads, clock }),
    isDurable: store !== undefined,
    adminToken: options.adminToken,
    clock,
    log,
  });

  const dataPlane = createDataPlane({
    upstreams,
    planner,
    counters,
    clock,
    ids,
    log,
    maxBodyBytes: limits.bodyBytes,
  });
  const ready = loadAll(options, parts).then(() => {
    if ('absent' in options.store && isEditing(preset())) warnWithoutStore(options, options.store);
  });
  const listener: Gateway['listener'] = (request, response) => {
    const target = request.url ?? '/';
    const route = matchRoute(request.method ?? 'GET', target);
    if (route !== undefined) void dataPlane.answer(request, response, route);
    else if (controlPaths.test(target)) void control(request, response);
    else dataPlane.refuseUnknown(request, response);
  };
  return {
    ready,
    preset,
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

/** What a gateway holds while it runs; the store is behind most of it. */
interface Parts {
  readonly accounts: Accounts;
  readonly checks: Checks;
  readonly counters: Counters;
  readonly history: History;
  readonly plans: Plans;
  readonly presence: RecordPresence;
  readonly threads: Threads;
}

function createParts(options: GatewayOptions, store: Store | undefined): Parts {
  const { log, clock, ids, remove = [], keep = [], defer = 'auto' } = options;
  return {
    accounts: createAccounts({
      store: store?.settings,
      defaults: { preset: options.preset, toolfilter: { remove, defer, keep }, endedAtMs: 0 },
      presetOfStart: options.isPresetNamed === true ? options.preset : undefined,
      clock,
      log,
    }),
    checks: createChecks({ store: store?.verdicts, clock, ids, log }),
    counters: createCounters(),
    history: createHistory({ store: store?.history, clock, log }),
    plans: createPlans({ store: store?.plans, clock, log }),
    presence: createRecordPresence(store?.threads),
    threads: createThreads({ store, clock, ids, log, ...defaultLimits, ...options.limits }),
  };
}

const controlPaths = /^\/((healthz|readyz|stats)(\?|$)|api\/v1\/)/;

/** HI5: what is not loaded when the port opens would decide threads for life; so all of it is, or it is logged. */
async function loadAll(
  { log }: GatewayOptions,
  { history, plans, checks, accounts, presence }: Parts,
): Promise<void> {
  await Promise.all([accounts.load(localTenant), presence.load(localTenant)]);
  try {
    await Promise.all([history.load(localTenant), plans.load(localTenant), checks.load()]);
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
  log.warn(
    { absent, detail },
    `${why}, so no tool is deferred or removed and every request goes upstream as it came`,
  );
}
