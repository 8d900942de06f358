import { createAgentManager, noUsage } from '@quartermaster/agent/turns';
import type {
  AgentManager,
  AgentManagerOptions,
  BackendSessions,
  BackendStart,
  RunningBackend,
  TurnEvent,
  TurnRequest,
  TurnResult,
  WorkflowBackend,
} from '@quartermaster/agent/turns';

/** The parts of an engine that a test writes itself; whatever it leaves out succeeds at once. */
export interface Script {
  readonly start?: (options: BackendStart, engine: number) => Promise<void>;
  readonly turn?: (request: TurnRequest, engine: number) => AsyncIterable<TurnEvent>;
  readonly close?: (engine: number) => Promise<void>;
  readonly keepSessions?: (engine: number) => Promise<unknown>;
  readonly sessions?: BackendSessions;
  readonly supportsSessions?: boolean;
}

/** A backend that goes by a script, and what has happened to it. */
export interface ScriptedBackend {
  readonly backend: WorkflowBackend;
  /** `start 1`, `started 1`, `turn one on 1`, `end one`, `close 1`, `closed 1`, in the order in which they happened. */
  readonly log: readonly string[];
  /** What no manager may do to an engine. */
  readonly breaches: readonly string[];
  /** The engines that were started and whose close has not ended. */
  readonly open: ReadonlySet<number>;
}

/** Makes a backend whose engines are numbered from 1. */
export function createScriptedBackend(script: Script = {}): ScriptedBackend {
  const log: string[] = [];
  const breaches: string[] = [];
  const open = new Set<number>();
  const closing = new Set<number>();
  let engines = 0;
  let starting = 0;
  let turns = 0;
  const breach = (is: boolean, what: string): void => {
    if (is) breaches.push(what);
  };

  const start = async (options: BackendStart): Promise<RunningBackend> => {
    const engine = (engines += 1);
    log.push(`start ${engine}`);
    breach((starting += 1) > 1, 'two starts at once');
    breach(open.size > 0, 'a start beside an open engine');
    try {
      await script.start?.(options, engine);
    } finally {
      starting -= 1;
    }
    open.add(engine);
    log.push(`started ${engine}`);
    return {
      runTurn: (request) => run(request, engine),
      close: () => close(engine),
      ...(script.sessions === undefined ? {} : { sessions: script.sessions }),
      ...(script.keepSessions === undefined
        ? {}
        : { keepSessions: async () => script.keepSessions?.(engine) }),
    };
  };

  async function* run(request: TurnRequest, engine: number): AsyncGenerator<TurnEvent, void> {
    log.push(`turn ${request.text} on ${engine}`);
    breach(closing.has(engine), `turn ${request.text} on a closed engine`);
    breach((turns += 1) > 1, 'two turns at once');
    breach(request.signal.aborted, `turn ${request.text} begun after its cancel`);
    try {
      yield* (script.turn ?? completedTurn)(request, engine);
    } finally {
      turns -= 1;
      breach(closing.has(engine), `engine ${engine} closed during turn ${request.text}`);
      log.push(`end ${request.text}`);
    }
  }

  const close = async (engine: number): Promise<void> => {
    log.push(`close ${engine}`);
    breach(closing.has(engine), `engine ${engine} closed twice`);
    closing.add(engine);
    try {
      await script.close?.(engine);
      log.push(`closed ${engine}`);
    } finally {
      open.delete(engine);
    }
  };

  const { supportsSessions } = script;
  const backend = {
    name: 'scripted',
    start,
    ...(supportsSessions === undefined ? {} : { supportsSessions }),
  };
  return { backend, log, breaches, open };
}

/** A turn that says its own text and ends. */
export async function* completedTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void> {
  yield event(request, { type: 'turn-start', messageId: 'm1' });
  yield event(request, { type: 'text-delta', text: request.text });
  yield end(request);
}

type EventBody = TurnEvent extends infer Event
  ? Event extends TurnEvent
    ? Omit<Event, 'turn' | 'session' | 'agent'>
    : never
  : never;

/** An event of the turn's own session. */
export function event({ turn, session }: TurnRequest, body: EventBody): TurnEvent {
  return { turn, session, agent: 'root', ...body };
}

/** The last event of a turn. */
export function end(request: TurnRequest, result: Partial<TurnResult> = {}): TurnEvent {
  const whole: TurnResult = { status: 'completed', text: request.text, usage: noUsage, ...result };
  return event(request, { type: 'turn-end', result: whole });
}

/** Resolves once the turn is cancelled. */
export function cancelled({ signal }: Pick<TurnRequest, 'signal'>): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A manager of app `shop` and default user `ann` whose turns are `t1`, `t2` and so on. */
export function createTestManager(
  { backend }: Pick<ScriptedBackend, 'backend'>,
  options: Partial<AgentManagerOptions> = {},
): AgentManager {
  let turns = 0;
  const ids = (): string => `t${(turns += 1)}`;
  return createAgentManager({ backend, app: 'shop', defaultUser: 'ann', ids, ...options });
}

/** What is said in session `s1`. */
export function said(text: string): { readonly session: string; readonly text: string } {
  return { session: 's1', text };
}
