import type { SessionRef } from '@quartermaster/agent';
import { registerHandOffTools } from '@quartermaster/agent/engine';
import { createApprovals } from '@quartermaster/agent/permissions';
import type { Approvals } from '@quartermaster/agent/permissions';
import type { ServiceOptions } from '@quartermaster/agent/services';
import type { RunningBackend, WorkflowBackend } from '@quartermaster/agent/turns';
import type { Store } from '@quartermaster/store';
import { buildAgents } from './agents/runnable-agent.ts';
import type { AgentParts } from './agents/runnable-agent.ts';
import { runtimeBackendName } from './agents/toolbox.ts';
import { defaultLimits } from './limits.ts';
import type { RuntimeLimits } from './limits.ts';
import type { OwnerHost } from './owner/owner.ts';
import { RuntimeError } from './runtime-error.ts';
import { createBackendSessions } from './sessions/backend-sessions.ts';
import { createHolder } from './sessions/held-session.ts';
import { createCatalogueTools } from './toolsets/catalogue/catalogue-tools.ts';
import { compactSession } from './turn/compact-session.ts';
import type { Engine } from './turn/engine.ts';
import { createHandOffs } from './turn/hand-offs.ts';
import { runTurn } from './turn/run-turn.ts';

/** What the engine is made of. */
export interface RuntimeBackendOptions<Settings = unknown> extends AgentParts<Settings> {
  readonly store: Pick<Store, 'sessions' | 'knowledge' | 'memory' | 'tasks'>;
  /** What the services of its tools are made of, beside what it has. */
  readonly services: Pick<ServiceOptions, 'project' | 'fetch' | 'codeExecutor'>;
  readonly clock: { now(): number };
  /** Unique everywhere and for ever: items, sub-sessions and holders are named by them. */
  readonly ids: () => string;
  /** From `readOwnerHost`. */
  readonly host: OwnerHost;
  /** The surface that its sessions begin on: `run`, `chat`, `api`… */
  readonly origin: string;
  /** Default: none was given before. */
  readonly approvals?: Approvals;
  readonly limits?: Partial<RuntimeLimits>;
}

/** The engine of this project. */
export interface RuntimeBackend extends WorkflowBackend {
  /**
   * Puts a summary in the place of all that was said in a session (RL3); whether there was anything. Throws
   * `SessionBusyError` while a turn runs in it, `RUNTIME_SESSION_MISSING`, and what the model throws.
   */
  compact(session: SessionRef, options: CompactOptions): Promise<boolean>;
}

/** How a session is compacted by command. */
export interface CompactOptions {
  /** In place of the root agent's. */
  readonly model?: string;
  readonly signal: AbortSignal;
}

/**
 * Makes the engine: agents in a loop with tools and models, over durable sessions. It registers the tools by which
 * agents hand work over, so that a registry takes one engine; `start` may be called as often as runtimes are wanted.
 */
export function createRuntimeBackend<Settings>(options: RuntimeBackendOptions<Settings>): RuntimeBackend {
  const handOffs = createHandOffs();
  const handOffTools = registerHandOffTools(options.registry, options.agents, handOffs.handOff);
  const issueCatalogueTools =
    options.catalogue === undefined ? undefined : createCatalogueTools(options.registry);
  const approvals = options.approvals ?? createApprovals();
  const limits = { ...defaultLimits, ...options.limits };
  const open = (model: string | undefined): Engine => {
    const { maxIterations } = limits;
    const agents = buildAgents(options, {
      handOffs: handOffTools,
      issueCatalogueTools,
      maxIterations,
      model,
    });
    return createEngine(options, { agents, approvals, handOffs, limits });
  };
  return {
    name: runtimeBackendName,
    supportsSessions: true,
    start: async ({ model, app, defaultUser }) => createRunningBackend(open(model), { app, defaultUser }),
    compact: async (session, { model, signal }) => await compactSession(open(model), session, signal),
  };
}

function createEngine<Settings>(
  { registry, agents: { root }, store, services, clock, ids, host, origin }: RuntimeBackendOptions<Settings>,
  made: Pick<Engine, 'agents' | 'approvals' | 'handOffs' | 'limits'>,
): Engine {
  const { leaseMs } = made.limits;
  return {
    ...made,
    root,
    registry,
    services: { ...services, store, clock, ids },
    restUntil: new Map(),
    hold: createHolder({ store: store.sessions, clock, ids, host, leaseMs }),
    origin,
  };
}

function createRunningBackend(
  engine: Engine,
  { app, defaultUser }: { readonly app: string; readonly defaultUser: string },
): RunningBackend {
  const closing = new AbortController();
  const turns = new Set<Promise<void>>();
  return {
    runTurn: (request) => runTurn(engine, request, { closing: closing.signal, turns }),
    sessions: createBackendSessions(engine.hold, { app, defaultUser }),
    async close() {
      closing.abort(closed());
      await Promise.all(turns);
    },
  };
}

function closed(): RuntimeError {
  return new RuntimeError('RUNTIME_CLOSED', 'Expected an engine that is open; this one was closed.');
}
