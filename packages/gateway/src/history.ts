import type { SessionTools } from '@quartermaster/deferral';
import type { HistoryStore, KeptHistory, SessionHistory } from '@quartermaster/store';
import type { Clock, Log } from './options.ts';

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
  /** Drops what was last active before `beforeMs` (HI4), in memory and in the store; there also what is over HI2's bounds. */
  forgetUnusedSince(beforeMs: number): Promise<void>;
}

/** HI2: what is kept per tenant, and per (tenant, project) beyond that. */
const kept: KeptHistory = { sessions: 64, projects: 200, sessionsPerProject: 10 };

interface Session {
  readonly session: string;
  readonly project: string;
  readonly declared: Set<string>;
  readonly used: Set<string>;
  lastActivityMs: number;
}

interface Tenant {
  isLoaded: boolean;
  /** By session and project; the order of the map is the order of last activity, oldest first. */
  readonly sessions: Map<string, Session>;
  readonly dirty: Set<string>;
}

export function createHistory(options: {
  readonly store: HistoryStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): History {
  const tenants = new Map<string, Tenant>();

  function tenantOf(name: string): Tenant {
    const tenant = tenants.get(name) ?? {
      isLoaded: options.store === undefined,
      sessions: new Map(),
      dirty: new Set(),
    };
    tenants.set(name, tenant);
    return tenant;
  }

  function newest(
    name: string,
    isWanted: (session: Session) => boolean,
    count: number,
  ): readonly SessionTools[] {
    const found: SessionTools[] = [];
    const sessions = [...(tenants.get(name)?.sessions.values() ?? [])].toReversed();
    for (const session of sessions) {
      if (found.length === count) break;
      if (isWanted(session)) {
        found.push({ declared: new Set(session.declared), used: new Set(session.used) });
      }
    }
    return found;
  }

  return {
    async load(name) {
      const tenant = tenantOf(name);
      const rows = (await options.store?.load(name)) ?? [];
      for (const row of rows.toReversed()) {
        const key = keyOf(row.session, row.project);
        if (!tenant.sessions.has(key)) tenant.sessions.set(key, sessionOf(row));
      }
      evict(tenant);
      tenant.isLoaded = true;
    },
    knows: (name, session) =>
      [...(tenants.get(name)?.sessions.values() ?? [])].some((known) => known.session === session),
    isLoaded: (name) => tenants.get(name)?.isLoaded ?? options.store === undefined,
    record({ tenant: name, session, project, declared, used }) {
      const tenant = tenantOf(name);
      const key = keyOf(session, project);
      const known = tenant.sessions.get(key) ?? {
        session,
        project,
        declared: new Set<string>(),
        used: new Set<string>(),
        lastActivityMs: 0,
      };
      const newlyUsed = [...used].filter((tool) => !known.used.has(tool));
      const before = known.declared.size;
      for (const tool of declared) known.declared.add(tool);
      for (const tool of newlyUsed) known.used.add(tool);
      known.lastActivityMs = options.clock.now();
      if (known.declared.size !== before || newlyUsed.length > 0) tenant.dirty.add(key);
      tenant.sessions.delete(key);
      tenant.sessions.set(key, known);
      evict(tenant);
      return newlyUsed;
    },
    newest: (tenant, except, count) => newest(tenant, ({ session }) => session !== except, count),
    newestOfProject: (tenant, project, except, count) =>
      newest(tenant, (known) => known.session !== except && known.project === project, count),
    async flush() {
      for (const [name, tenant] of tenants) await flushTenant(name, tenant);
    },
    async forgetUnusedSince(beforeMs) {
      for (const { sessions, dirty } of tenants.values()) {
        for (const [key, session] of sessions) {
          if (session.lastActivityMs >= beforeMs) break;
          sessions.delete(key);
          dirty.delete(key);
        }
      }
      await options.store?.deleteUnusedSince(beforeMs);
      for (const name of tenants.keys()) await options.store?.trim(name, kept);
    },
  };

  async function flushTenant(name: string, tenant: Tenant): Promise<void> {
    const keys = [...tenant.dirty];
    const rows = keys.flatMap((key) => {
      const session = tenant.sessions.get(key);
      return session === undefined ? [] : [rowOf(name, session)];
    });
    if (options.store === undefined || rows.length === 0) return;
    tenant.dirty.clear();
    try {
      await options.store.save(rows);
    } catch (error) {
      for (const key of keys) tenant.dirty.add(key);
      const facts = { rows: rows.length, error: error instanceof Error ? error.name : typeof error };
      options.log.warn(facts, 'tool history could not be written; it will be tried again');
    }
  }
}

/** Drops the oldest sessions that are neither among the tenant's newest nor among their project's. */
function evict(tenant: Tenant): void {
  const { sessions, dirty } = tenant;
  if (sessions.size <= kept.sessions) return;
  const perProject = new Map<string, number>();
  let seen = 0;
  for (const [key, session] of [...sessions].toReversed()) {
    const inProject = perProject.get(session.project) ?? 0;
    const isNewProject = inProject === 0 && perProject.size >= kept.projects;
    if (seen < kept.sessions || (inProject < kept.sessionsPerProject && !isNewProject)) {
      perProject.set(session.project, inProject + 1);
      seen += 1;
    } else {
      sessions.delete(key);
      dirty.delete(key);
    }
  }
}

function keyOf(session: string, project: string): string {
  return JSON.stringify([session, project]);
}

function sessionOf(row: SessionHistory): Session {
  return {
    session: row.session,
    project: row.project,
    declared: new Set(row.declared),
    used: new Set(row.used),
    lastActivityMs: row.lastActivityMs,
  };
}

function rowOf(tenant: string, session: Session): SessionHistory {
  return {
    tenant,
    session: session.session,
    project: session.project,
    declared: [...session.declared].toSorted(),
    used: [...session.used].toSorted(),
    lastActivityMs: session.lastActivityMs,
  };
}
