import type { Tool, ToolContext, ToolRegistry } from '@quartermaster/agent';
import { createMcpTools } from '@quartermaster/agent/engine';
import type { QualifiedNames } from '@quartermaster/agent/engine';
import type { McpConfig } from '../../agent-file/mcp-schema.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { callFailed, callServer, isLost } from './call-server.ts';
import { coalesce } from './coalesce.ts';
import { explainEnd } from './explain-end.ts';
import { openLogin } from './oauth/open-login.ts';
import type { LoginOptions } from './oauth/open-login.ts';
import { createOffers } from './offers.ts';
import { openServer } from './open-server.ts';
import { fillPlace } from './server-config.ts';
import type { PlaceSurroundings } from './server-config.ts';
import { createServerLife } from './server-life.ts';
import type { ServerLife } from './server-life.ts';
import type { McpStatus } from './status.ts';
import type { McpTiming } from './timing.ts';
import { createTransports } from './transports.ts';
import { untilAborted } from './until-aborted.ts';
import { createVoice } from './voice.ts';

/** What a toolset is made of, beside its configuration. */
export interface McpToolsetOptions extends PlaceSurroundings, LoginOptions {
  /** The server's name: tools are qualified by it, and rules name it. */
  readonly name: string;
  readonly registry: ToolRegistry;
  /** One table for all servers of a registry. */
  readonly names: QualifiedNames;
  /** Whether what the folder's files say may be started and sent (P4). */
  readonly isProjectTrusted: () => boolean;
  readonly timing: McpTiming;
  /** Told what people should know; no secret is in it. */
  readonly warn: (message: string) => void;
}

/** The tools of one server, and its life. */
export interface McpToolset {
  readonly name: string;
  /** Whether its tools are to be found by search. */
  readonly isDeferred: boolean;
  /**
   * Starts the server, also one that was given up. Resolves at once; with `startup: wait` once it is up or did not come
   * up the first time, and when `signal` is aborted: the server goes on then.
   */
  start(options: { readonly signal: AbortSignal }): Promise<void>;
  /** What it listed last. A server that is gone keeps its tools: a call of one says so (case 123). */
  tools(): readonly Tool[];
  status(): McpStatus;
  /** Ends the server; may be called twice. */
  close(): Promise<void>;
}

/** A toolset whose server was not started. Throws `AgentError` for a variable that is unset (C4). */
export function createMcpToolset(config: McpConfig, options: McpToolsetOptions): McpToolset {
  const { name, timing } = options;
  const { place, secrets } = fillPlace(config, options);
  const voice = createVoice(name, { secrets, warn: options.warn });
  const [startupMs, timeoutMs] = [config.startupSeconds * 1_000, config.timeoutSeconds * 1_000];
  const login = openLogin(config, { place, options });
  const transports = createTransports(place, {
    fetch: login?.tokens.watch(options.fetch) ?? options.fetch,
    ...(login !== undefined && { authProvider: login.tokens }),
    onNoise: () => voice.warnOnce(noise),
  });
  const issuer = createMcpTools(options.registry, options.names, { name, call });
  const offers = createOffers(issuer, { wanted: config.tools, voice });
  /** Why a connection was given up, until its end is explained. */
  let lost: unknown;

  const life = createServerLife({
    restart: { when: config.restart, max: config.maxRestarts },
    timing,
    async open(signal) {
      if (!options.isProjectTrusted()) throw untrusted();
      const onListChanged = (): void => void refresh();
      return await openServer({
        transports,
        timing,
        startupMs,
        take: (listed) => offers.take(listed),
        onListChanged,
        signal,
      });
    },
    explain(cause) {
      const end = explainEnd(cause ?? lost, { place, end: transports.lastEnd(), startupMs });
      lost = undefined;
      voice.warn(end.problem);
      return { ...end, problem: voice.hide(end.problem) };
    },
  });

  const refresh = coalesce(async () => {
    try {
      const listed = await life.connection()?.list({ timeoutMs, signal: new AbortController().signal });
      if (listed !== undefined) offers.take(listed);
      life.setDegraded(undefined);
    } catch (error) {
      const problem = voice.hide(`its changed list of tools could not be read: ${String(error)}`);
      life.setDegraded(problem);
      voice.warn(problem);
    }
  });

  async function call(tool: string, input: unknown, { signal, session }: ToolContext): Promise<string> {
    login?.requireUser(session.user);
    const connection = life.connection();
    if (connection === undefined) throw unavailable(name, life);
    const admitted = offers.current().admitted.get(tool);
    if (admitted === undefined) throw callFailed(name, `it offers ${JSON.stringify(tool)} no longer.`);
    try {
      return await callServer(connection, admitted, input, { timeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (isLost(error)) {
        lost = error;
        connection.drop();
      }
      throw error instanceof RuntimeError ? error : callFailed(name, voice.hide(messageOf(error)), error);
    }
  }

  return {
    name,
    isDeferred: config.defer,
    async start({ signal }) {
      life.start();
      if (config.startup === 'wait') await Promise.race([life.whenSettled(), untilAborted(signal)]);
    },
    tools: () => offers.current().tools,
    status() {
      const { tools, listed } = offers.current();
      return { server: name, tools: { offered: tools.length, listed }, ...life.status() };
    },
    close: () => life.close(),
  };
}

const noise = 'it writes lines that are no messages to its standard output; they are left out.';

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
}

function untrusted(): RuntimeError {
  return new RuntimeError(
    'RUNTIME_MCP_UNAVAILABLE',
    'It is not started, since its folder is not trusted: it would run what the files of the folder say. Trust it first.',
  );
}

function unavailable(server: string, life: ServerLife): RuntimeError {
  const { state, lastProblem } = life.status();
  return new RuntimeError(
    'RUNTIME_MCP_UNAVAILABLE',
    `The MCP server ${server} is ${state}, so that its tools can't be called now.` +
      (lastProblem === undefined ? '' : ` ${lastProblem}`),
  );
}
