import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { catalog } from '@quartermaster/catalog';
import { openSqliteStore, sqliteFileName, type Store } from '@quartermaster/store';
import { createGateway, type Gateway, type Log } from '../../src/index.ts';
import { startServer } from '../support/server.ts';
import { type ArrivedRequest, countByLength, startSimulator } from '../support/simulated.ts';
import { models, type Mood, type Scenario } from './scenario.ts';
import { startProvider } from './provider.ts';
import { type RunView, type TroubledStore, troubledStore } from './troubled-store.ts';

/** What all runs of a file share: one store on disk, the provider, and its twin that no gateway stands before. */
export interface Ground extends AsyncDisposable {
  /** Lays out a run of its own: two gateways over the store, nothing carried over. */
  begin(scenario: Pick<Scenario, 'client' | 'history'>): Promise<Run>;
}

export type GatewayName = 'a' | 'b';

export interface Run extends AsyncDisposable {
  /** Posts to a gateway as a client would. */
  post(gateway: GatewayName, path: string, request: Posted): Promise<Answer>;
  postDirectly(path: string, request: Posted): Promise<Answer>;
  /** What the gateway has counted since its start, flat. */
  counters(gateway: GatewayName): Promise<Counts>;
  restart(gateway: GatewayName, how: 'stopped' | 'killed'): Promise<void>;
  optOut(gateway: GatewayName, session: string): Promise<void>;
  feel(gateway: GatewayName, mood: Mood): void;
  moodOf(gateway: GatewayName): Mood;
  /** Whether the provider refuses every request with a deferred tool. */
  setRefusing(isOn: boolean): void;
  isRefusing(): boolean;
  setClock(aheadMs: number): void;
  /** Takes the run's thread records and openings out of the store. */
  loseRecords(): void;
  /** Told of each request while it arrives at the provider behind the gateways, before its answer. */
  onArrival(listen: (arrived: ArrivedRequest) => void): void;
  /** The stored decision of a thread, read over another connection; where it has none, those it may have inherited (O5). */
  storedDecisions(session: string, agent: string): readonly string[];
}

export type Counts = Readonly<Record<string, number>>;

export interface Posted {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Long enough for a busy machine: what is late here is late by the store's mood. */
const patienceMs = 10_000;

export async function openGround(): Promise<Ground> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-laws-'));
  const clock = { aheadMs: 0, now: (): number => Date.now() + clock.aheadMs };
  let listen: ((arrived: ArrivedRequest) => void) | undefined;
  const provider = await startProvider((arrived) => listen?.(arrived));
  const twin = await startSimulator();
  const store = await openSqliteStore({ folder, clock });
  const database = new DatabaseSync(path.join(folder, sqliteFileName), { timeout: 10_000 });
  const findThread = database.prepare(
    'select decision from thread where tenant = ? and session = ? and agent = ?',
  );
  const findOpenings = database.prepare('select decision from opening where tenant = ?');
  const client = new http.Agent({ keepAlive: true, maxSockets: 4 });
  let runs = 0;

  return {
    async begin({ client: { tools }, history }) {
      runs += 1;
      const tenant = `run-${runs}`;
      clock.aheadMs = 0;
      provider.isRefusing = false;
      for (const { simulator } of [provider, twin]) simulator.reset();
      await store.history.save(pastSessions(tenant, history, [...tools, 'mcp__crm__late']));
      const verdicts = models.map((model) => verdictOf(provider.url, model));
      const moods: Record<GatewayName, Mood> = { a: 'well', b: 'well' };
      const seats = { a: await seatGateway(), b: await seatGateway() };

      async function seatGateway(): Promise<Seat> {
        return openSeat(store, { tenant, verdicts, upstream: provider.url, clock });
      }

      return {
        post: (name, target, request) => post(client, new URL(target, seats[name].url), request),
        postDirectly: (target, request) => post(client, new URL(target, twin.url), request),
        counters: async (name) => flatten(await post(client, new URL('/stats', seats[name].url), undefined)),
        async optOut(name, session) {
          const body = JSON.stringify({ session, enable_tool_search: 'false' });
          const headers = { 'content-type': 'application/json' };
          await post(client, new URL('/tool-search', seats[name].url), { body, headers });
        },
        restart: (name, how) => seats[name].restart(how),
        feel(name, mood) {
          moods[name] = mood;
          seats[name].feel(mood);
        },
        moodOf: (name) => moods[name],
        setRefusing(isOn) {
          provider.isRefusing = isOn;
        },
        isRefusing: () => provider.isRefusing,
        setClock(aheadMs) {
          clock.aheadMs = aheadMs;
        },
        onArrival(next) {
          listen = next;
        },
        loseRecords() {
          for (const table of ['thread', 'opening'])
            database.prepare(`delete from ${table} where tenant = ?`).run(tenant);
        },
        storedDecisions(session, agent) {
          const own = findThread.all(tenant, session, agent);
          const rows = own.length > 0 ? own : findOpenings.all(tenant);
          return rows.map(({ decision }) => String(decision));
        },
        async [Symbol.asyncDispose]() {
          await seats.a.close();
          await seats.b.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      database.close();
      await store.close();
      await provider[Symbol.asyncDispose]();
      await twin[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where a gateway sits: its port stays over restarts. */
interface Seat {
  readonly url: URL;
  restart(how: 'stopped' | 'killed'): Promise<void>;
  feel(mood: Mood): void;
  close(): Promise<void>;
}

async function openSeat(
  shared: Store,
  options: RunView & { readonly upstream: URL; readonly clock: { now(): number } },
): Promise<Seat> {
  const fallen: Gateway[] = [];
  let mood: Mood = 'well';
  let way: TroubledStore = troubledStore(shared, options);
  let gateway = await sit();
  const server = await startServer((request, response) => gateway.listener(request, response));

  async function sit(): Promise<Gateway> {
    const { upstream, clock } = options;
    way = troubledStore(shared, options);
    way.feel(mood);
    const next = createGateway({
      preset: 'ultrahigh',
      upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
      store: way.store,
      catalog,
      countTokens: countByLength,
      log: silent,
      clock,
      ids: randomUUID,
      limits: { claimMs: patienceMs, readMs: patienceMs, rereadMs: patienceMs },
    });
    await next.ready;
    return next;
  }

  return {
    url: server.url,
    async restart(how) {
      // A killed process writes nothing more; what it held is let go of when the run ends.
      if (how === 'killed') {
        way.cut();
        fallen.push(gateway);
      } else {
        await gateway.close();
      }
      gateway = await sit();
    },
    feel(next) {
      mood = next;
      way.feel(next);
    },
    async close() {
      await server[Symbol.asyncDispose]();
      await gateway.close();
      for (const dead of fallen) await dead.close();
    },
  };
}

function verdictOf(upstream: URL, model: string) {
  const key = { upstream: `${upstream.protocol}//${upstream.host}`, model, route: '/v1/messages' };
  return { ...key, verdict: 'pass', checkedAtMs: Date.now() } as const;
}

function pastSessions(tenant: string, history: readonly (readonly string[])[], declared: readonly string[]) {
  return history.map((used, index) => ({
    tenant,
    session: `past-${index}`,
    project: 'none',
    declared: [...declared],
    used: [...used],
    lastActivityMs: Date.now() - 1_000 + index,
  }));
}

function post(agent: http.Agent, url: URL, posted: Posted | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, {
      agent,
      method: posted === undefined ? 'GET' : 'POST',
      headers: { ...posted?.headers, ...(posted && { 'content-length': Buffer.byteLength(posted.body) }) },
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    request.end(posted?.body);
  });
}

/** Every number of `/stats` under the path to it. */
function flatten({ body }: Answer): Counts {
  const counts: Record<string, number> = {};
  const walk = (value: unknown, at: string): void => {
    if (typeof value === 'number') counts[at] = value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, at === '' ? key : `${at}.${key}`);
  };
  const { own_errors: ownErrors, tool_defer: deferral } = JSON.parse(body) as Record<string, unknown>;
  walk({ own_errors: ownErrors, ...(deferral as object) }, '');
  return counts;
}
