import type { SessionTools } from '@quartermaster/deferral';
import type { HistoryStore, KeptHistory, SessionHistory } from '@quartermaster/store';
import { nameOf } from './errors.ts';
import type { Clock, Log } from './options.ts';
import { joinNames, shareNames } from './tool-names.ts';

/** What one request shows: the tools it declares and those its transcript used or loaded. */
export interface ToolSighting {
  readonly tenant: string;
  readonly session: string;
  readonly project: string;
  readonly declared: Iterable<string>;
  readonly used: Iterable<string>;
}

/** Which tools a tenant's sessions declared and used, in memory; the store is written behind (HI1–HI3). */
export interface History {
  /** Loads a tenant's history; until then nothing is known of it. */
  load(tenant: string): Promise<void>;
  isLoaded(tenant: string): boolean;
  /** Whether a request of the session has been recorded. */
  knows(tenant: string, session: string): boolean;
  /** Answers the tools whose use is news in the session. */
  record(sighting: ToolSighting): readonly string[];
  /** The tenant's newest sessions but `except`, newest first by last activity; copies. */
  newest(tenant: string, except: string, count: number): readonly SessionTools[];
  newestOfProject(tenant: string, project: string, except: string, count: number): readonly SessionTools[];
  /** Writes what changed. A failed write stays dirty. */
  flush(): Promise<void>;
  /** Writes also when sessions were last active, which alone makes no row dirty (HI3). */
  flushActivity(): Promise<void>;
  /** Drops what was last active before `beforeMs` (HI4), in memory and in the store; there also what is over HI2's bounds. */
  forgetUnusedSince(beforeMs: number): Promise<void>;
}

/** HI2: what is kept per tenant, and per (tenant, project) beyond that. */
const kept: KeptHistory = { sessions: 64, projects: 200, sessionsPerProject: 10 };

interface Session {
  readonly session: string;
  readonly project: string;
  /** Without repetitions; lists of the same names are one list within a tenant, since most sessions declare alike. */
  declared: readonly string[];
  used: readonly string[];
  lastActivityMs: number;
  /** As the store has it; `undefined` where it has no row of this session. */
  storedActivityMs: number | undefined;
}

interface Tenant {
  isLoaded: boolean;
  /** By `keyOf`. The order of the map is the order of last activity, oldest first. */
  readonly sessions: Map<string, Session>;
  readonly dirty: Set<string>;
}

/** Without a store the history lives as long as the process. */
export function createHistory(options: {
  readonly store: HistoryStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): History {
  const { store, clock, log } = options;
  const tenants = new Map<string, Tenant>();

  function tenantOf(name: string): Tenant {
    const known = tenants.get(name);
    if (known !== undefined) return known;
    const tenant: Tenant = { isLoaded: store === undefined, sessions: new Map(), dirty: new Set() };
    tenants.set(name, tenant);
    return tenant;
  }

  function newest(
    name: string,
    isWanted: (session: Session) => boolean,
    count: number,
  ): readonly SessionTools[] {
    const sessions = [...(tenants.get(name)?.sessions.values() ?? [])].filter(isWanted);
    return sessions
      .slice(-count)
      .toReversed()
      .map(({ declared, used }) => ({ declared: new Set(declared), used: new Set(used) }));
  }

  async function write(name: string, { sessions, dirty }: Tenant): Promise<void> {
    const keys = [...dirty];
    const due = keys.flatMap((key) => sessions.get(key) ?? []);
    if (store === undefined || due.length === 0) return;
    dirty.clear();
    try {
      await store.save(due.map((session) => rowOf(name, session)));
      for (const session of due) session.storedActivityMs = session.lastActivityMs;
    } catch (error) {
      for (const key of keys) dirty.add(key);
      const facts = { rows: due.length, error: nameOf(error) };
      log.warn(facts, 'tool history could not be written; it will be tried again');
    }
  }

  return {
    async load(name) {
      const tenant = tenantOf(name);
      const rows = (await store?.load(name)) ?? [];
      for (const row of rows.toReversed()) {
        const key = keyOf(tenant, row.session, row.project);
        if (!tenant.sessions.has(key)) tenant.sessions.set(key, sessionOf(row, tenant));
      }
      evict(tenant);
      tenant.isLoaded = true;
    },
    knows: (name, session) =>
      [...(tenants.get(name)?.sessions.values() ?? [])].some((known) => known.session === session),
    isLoaded: (name) => tenants.get(name)?.isLoaded ?? store === undefined,
    record({ tenant: name, session, project, declared, used }) {
      const tenant = tenantOf(name);
      const key = keyOf(tenant, session, project);
      const before = tenant.sessions.get(key);
      const known = before ?? newSession(session, sharedProject(tenant, project));
      const newlyUsed = [...new Set(used)].filter((tool) => !known.used.includes(tool));
      const next = { declared: joinNames(known.declared, declared), used: joinNames(known.used, newlyUsed) };
      if (before === undefined || next.declared !== known.declared || next.used !== known.used) {
        known.declared = shareNames(next.declared, listsIn(tenant, 'declared'));
        known.used = shareNames(next.used, listsIn(tenant, 'used'));
        tenant.dirty.add(key);
      }
      known.lastActivityMs = clock.now();
      tenant.sessions.delete(key);
      tenant.sessions.set(key, known);
      evict(tenant);
      return newlyUsed;
    },
    newest: (tenant, except, count) => newest(tenant, ({ session }) => session !== except, count),
    newestOfProject: (tenant, project, except, count) =>
      newest(tenant, (known) => known.session !== except && known.project === project, count),
    async flush() {
      for (const [name, tenant] of tenants) await write(name, tenant);
    },
    async flushActivity() {
      for (const [name, tenant] of tenants) {
        for (const [key, { lastActivityMs, storedActivityMs }] of tenant.sessions) {
          if (lastActivityMs !== storedActivityMs) tenant.dirty.add(key);
        }
        await write(name, tenant);
      }
    },
    async forgetUnusedSince(beforeMs) {
      for (const { sessions, dirty } of tenants.values()) {
        for (const [key, { lastActivityMs }] of sessions) {
          if (lastActivityMs >= beforeMs) continue;
          sessions.delete(key);
          dirty.delete(key);
        }
      }
      await store?.deleteUnusedSince(beforeMs);
      for (const name of tenants.keys()) await store?.trim(name, kept);
    },
  };
}

function newSession(session: string, project: string): Session {
  return { session, project, declared: [], used: [], lastActivityMs: 0, storedActivityMs: undefined };
}

/** The lists of the tenant's newest sessions, newest first: where a list of the same names is likely. */
function listsIn({ sessions }: Tenant, kind: 'declared' | 'used'): readonly (readonly string[])[] {
  return [...sessions.values()].toReversed().map((session) => session[kind]);
}

/** Drops the oldest sessions that are neither among the tenant's newest nor among their project's (HI2). */
function evict({ sessions, dirty }: Tenant): void {
  if (sessions.size <= kept.sessions) return;
  const perProject = new Map<string, number>();
  let seen = 0;
  for (const [key, { project }] of [...sessions].toReversed()) {
    const inProject = perProject.get(project) ?? 0;
    const isNewProject = inProject === 0 && perProject.size >= kept.projects;
    if (seen < kept.sessions || (inProject < kept.sessionsPerProject && !isNewProject)) {
      perProject.set(project, inProject + 1);
      seen += 1;
    } else {
      sessions.delete(key);
      dirty.delete(key);
    }
  }
}

/** The session's own id, or one with the project where the session was first seen in another. */
function keyOf({ sessions }: Tenant, session: string, project: string): string {
  const inOther = `${session}\0${project}`;
  if (sessions.has(inOther)) return inOther;
  const known = sessions.get(session);
  return known === undefined || known.project === project ? session : inOther;
}

/** The string that the tenant's other sessions name the project with. */
function sharedProject({ sessions }: Tenant, project: string): string {
  return [...sessions.values()].findLast((session) => session.project === project)?.project ?? project;
}

function sessionOf(row: SessionHistory, tenant: Tenant): Session {
  const { session, lastActivityMs } = row;
  const project = sharedProject(tenant, row.project);
  const declared = shareNames(row.declared, listsIn(tenant, 'declared'));
  const used = shareNames(row.used, listsIn(tenant, 'used'));
  return { session, project, declared, used, lastActivityMs, storedActivityMs: lastActivityMs };
}

function rowOf(
  tenant: string,
  { session, project, declared, used, lastActivityMs }: Session,
): SessionHistory {
  return { tenant, session, project, declared: declared.toSorted(), used: used.toSorted(), lastActivityMs };
}
