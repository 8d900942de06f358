import type { Store } from '@quartermaster/store';
import { type Accounts, createAccounts } from './account/accounts.ts';
import { isEditing } from './account/settings.ts';
import { type Checks, createChecks } from './check/checks.ts';
import { createUnknownModels } from './check/unknown-models.ts';
import { createControl } from './control.ts';
import { createOutliner } from './conversation/outliner.ts';
import { createProjectNames } from './conversation/project.ts';
import { type Counters, createCounters } from './counters.ts';
import { createDecider } from './decide.ts';
import { createDataPlane, refuseUpgrade } from './data-plane.ts';
import { createHistory, type History } from './history.ts';
import { isTooLong } from './http/body.ts';
import { createUpstream, type Upstream } from './http/upstream.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import { createMessagesPlanner, type MessagesPlanner, type MessagesPlannerOptions } from './messages.ts';
import {
  type AbsentStore,
  defaultLimits,
  type Gateway,
  type GatewayOptions,
  type Log,
  type Preset,
} from './options.ts';
import { createPlans, type Plans } from './plans.ts';
import { createReadiness } from './readiness.ts';
import { createRefusals } from './refusal/refusals.ts';
import { createTurnOffs, type TurnOffs } from './refusal/turn-offs.ts';
import { type Dialect, localTenant, matchRoute } from './routes.ts';
import { createSearchMemory } from './search/additions.ts';
import { createSearchTurns, type SearchTurns } from './search/search-turns.ts';
import { createAskedChecks } from './signals/asked-checks.ts';
import { type Asks, createAsks } from './signals/asks.ts';
import { createOptOuts, type OptOuts } from './signals/opt-outs.ts';
import { createSignalRoutes, signalPaths } from './signals/routes.ts';
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
  const { accounts, counters, checks, ledger, turnOffs, optOuts, asks, threads } = parts;
  const upkeep = createUpkeep({ ...parts, store, clock, log, retentionDays: options.retentionDays ?? 30 });
  const planner = createPlanner(options, { ...parts, upstream });
  const preset = (): Preset => accounts.settingsOf(localTenant).preset;
  const areSignalsOpen = options.clientSignals !== 'off';
  const control = createControl({
    preset,
    counters,
    ledger: () => ledger.stats(localTenant),
    verdicts: () => checks.known(),
    findUnreadiness: createReadiness({ store, upstream, clock }),
    accounts,
    overview: createThreadOverview({ threads, store: store?.threads, clock }),
    isDurable: store !== undefined,
    adminToken: options.adminToken,
    signals: areSignalsOpen
      ? createSignalRoutes({ optOuts, asks, counters, adminToken: options.adminToken })
      : undefined,
    clock,
    log,
  });

  const dataPlane = createDataPlane({
    upstreams,
    planner,
    refusals: createRefusals({ upstream: upstream.name, checks, threads, turnOffs, counters, log }),
    searchTurns: parts.searchTurns,
    askedChecks: createAskedChecks({
      asks,
      catalog: options.catalog,
      checks,
      upstream,
      log,
      maxBodyBytes: limits.bodyBytes,
    }),
    counters,
    clock,
    ids,
    log,
    maxBodyBytes: limits.bodyBytes,
  });
  const ready = loadAll(options, parts).then(() => warnAtStart(options, preset()));
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
    preset,
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

/** What a gateway holds while it runs; the store is behind most of it. */
interface Parts {
  readonly accounts: Accounts;
  readonly counters: Counters;
  readonly history: History;
  readonly checks: Checks;
  readonly ledger: Ledger;
  readonly plans: Plans;
  readonly presence: RecordPresence;
  readonly turnOffs: TurnOffs;
  readonly optOuts: OptOuts;
  readonly asks: Asks;
  readonly threads: Threads;
  readonly searchTurns: SearchTurns;
}

function createParts(options: GatewayOptions, store: Store | undefined): Parts {
  const { log, clock, ids, countTokens, holdoutShare = 0 } = options;
  const { remove = [], keep = [], defer = 'auto' } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const history = createHistory({ store: store?.history, clock, log });
  const isSeen = (tenant: string, session: string): boolean => history.knows(tenant, session);
  const accounts = createAccounts({
    store: store?.settings,
    defaults: { preset: options.preset, toolfilter: { remove, defer, keep }, endedAtMs: 0 },
    presetOfStart: options.isPresetNamed === true ? options.preset : undefined,
    clock,
    log,
  });
  const counters = createCounters();
  return {
    accounts,
    counters,
    history,
    checks: createChecks({ store: store?.verdicts, clock, ids, log }),
    ledger: createLedger({
      store: store?.ledger,
      countTokens,
      clock,
      log,
      isProjecting: (tenant) => accounts.settingsOf(tenant).preset === 'observe',
      hasHoldout: holdoutShare > 0,
    }),
    plans: createPlans({ store: store?.plans, clock, log }),
    presence: createRecordPresence(store?.threads),
    turnOffs: createTurnOffs({ store: store?.turnOffs, clock, log }),
    optOuts: createOptOuts({ store: store?.optOuts, isSeen, clock, log }),
    asks: createAsks(),
    threads: createThreads({ store, clock, ids, log, ...limits }),
    searchTurns: createSearchTurns({
      store: store?.searchTurns,
      clock,
      counters,
      log,
      waitMs: limits.rereadMs,
    }),
  };
}

function createPlanner(
  options: GatewayOptions,
  parts: Parts & Pick<MessagesPlannerOptions, 'upstream'>,
): MessagesPlanner {
  const { store, ids, clock, countTokens, holdoutShare = 0, log } = options;
  const { bodyBytes, readMs } = { ...defaultLimits, ...options.limits };
  // Projections make plans of their own, in memory alone.
  const projectedPlans = createPlans({ store: undefined, clock, log });
  return createMessagesPlanner({
    ...parts,
    search: createSearchMemory(parts),
    hasStore: !('absent' in store),
    nameProject: createProjectNames('absent' in store ? ids() : store.salt),
    catalog: options.catalog,
    decider: createDecider({ ...parts, countTokens, holdoutShare }),
    projectedPlans,
    projectingDecider: createDecider({ ...parts, plans: projectedPlans, countTokens, holdoutShare }),
    log,
    maxBodyBytes: bodyBytes,
    outliner: createOutliner(),
    readMs,
    unknownModels: createUnknownModels(log),
  });
}

const controlPaths = /^\/((healthz|readyz|stats)(\?|$)|api\/v1\/)/;

/** HI5: what is not loaded when the port opens would decide threads for life; so all of it is, or it is logged. */
async function loadAll(
  { log }: GatewayOptions,
  { accounts, presence, checks, history, ledger, plans, turnOffs, optOuts }: Parts,
): Promise<void> {
  await Promise.all([accounts.load(localTenant), presence.load(localTenant)]);
  try {
    const ofTenant = [history, ledger, plans, turnOffs, optOuts];
    await Promise.all([checks.load(), ...ofTenant.map((part) => part.load(localTenant))]);
  } catch (error) {
    const facts = { error: error instanceof Error ? error.message : typeof error };
    log.error(
      facts,
      'history could not be loaded; new conversations are not deferred until a restart loads it',
    );
  }
}

function warnAtStart({ store, catalog, log }: GatewayOptions, preset: Preset): void {
  if ('absent' in store && isEditing(preset)) warnWithoutStore(store, log);
  if (catalog.models.length === 0 && preset === 'ultrahigh') {
    log.warn({}, 'there is no price table, so no model is checked and no tool is deferred (CH4)');
  }
}

function warnWithoutStore({ absent, detail }: AbsentStore, log: Log): void {
  const why = absent === 'not-configured' ? 'no store is configured' : 'the store could not be opened';
  log.warn(
    { absent, detail },
    `${why}, so no tool is deferred or removed and every request goes upstream as it came`,
  );
}
