import type { Tool, ToolContext, ToolRegistry } from '@quartermaster/agent';
import { createMcpTools } from '@quartermaster/agent/engine';
import type { QualifiedNames } from '@quartermaster/agent/engine';
import { redact } from '@quartermaster/agent/settings';
import type { McpConfig } from '../../agent-file/mcp-schema.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { callServer, isLost } from './call-server.ts';
import { coalesce } from './coalesce.ts';
import { connect } from './connection.ts';
import type { McpConnection } from './connection.ts';
import { explainEnd } from './explain-end.ts';
import type { ListedTools } from './list-tools.ts';
import { openLogin } from './oauth/open-login.ts';
import type { LoginOptions } from './oauth/open-login.ts';
import { changedTools, emptyOffer, makeOffer } from './offer.ts';
import type { Offer } from './offer.ts';
import { sayOnce } from './say-once.ts';
import { fillPlace } from './server-config.ts';
import type { PlaceSurroundings } from './server-config.ts';
import { createServerLife } from './server-life.ts';
import type { McpStatus } from './status.ts';
import type { McpTiming } from './timing.ts';
import { createTransports } from './transports.ts';

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
  /** Starts the server; resolves at once, or with `startup: wait` once it is up or was given up. */
  start(): Promise<void>;
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
  const hide = (text: string): string => redact(text, secrets);
  const warn = (message: string): void => options.warn(`MCP server ${name}: ${hide(message)}`);
  const warnOnce = sayOnce(warn);
  const startupMs = config.startupSeconds * 1_000;
  const timeoutMs = config.timeoutSeconds * 1_000;
  const login = openLogin(config, { place, options });
  const transports = createTransports(place, {
    fetch: login?.tokens.watch(options.fetch) ?? options.fetch,
    ...(login !== undefined && { authProvider: login.tokens }),
    onNoise: () =>
      warnOnce('it writes lines that are no messages to its standard output; they are left out.'),
  });
  const issuer = createMcpTools(options.registry, options.names, { name, call });
  let offer: Offer = emptyOffer;
  let version: string | undefined;
  let lost: unknown;

  const life = createServerLife({
    restart: { when: config.restart, max: config.maxRestarts },
    timing,
    open,
    explain(cause) {
      const end = explainEnd(cause ?? lost, { place, end: transports.lastEnd(), startupMs });
      lost = undefined;
      const problem = hide(end.problem);
      warn(problem);
      return { ...end, problem };
    },
  });

  async function open(closing: AbortSignal): Promise<McpConnection> {
    if (!options.isProjectTrusted()) throw untrusted();
    const deadline = AbortSignal.timeout(startupMs);
    const limits = { timeoutMs: startupMs, signal: AbortSignal.any([closing, deadline]) };
    let isStale = true;
    const onListChanged = (): void => {
      isStale = true;
      void refresh();
    };
    let opened: McpConnection | undefined;
    try {
      opened = await connect({ transports, timing, onListChanged, ...limits });
      while (isStale) {
        isStale = false; // it may change while it is read
        take(await opened.list(limits));
      }
    } catch (error) {
      await opened?.close();
      throw deadline.aborted ? deadline.reason : error;
    }
    version = opened.protocolVersion;
    return opened;
  }

  function take(listed: ListedTools): void {
    const former = offer;
    offer = makeOffer(listed, { issuer, wanted: config.tools });
    for (const problem of offer.problems) warnOnce(problem);
    for (const changed of changedTools(former, offer)) {
      warn(`it changed its tool ${changed}; what was approved for it is asked again.`);
    }
  }

  const refresh = coalesce(async () => {
    const connection = life.connection();
    if (connection === undefined) return;
    try {
      take(await connection.list({ timeoutMs, signal: new AbortController().signal }));
      life.setDegraded(undefined);
    } catch (error) {
      const problem = `its changed list of tools could not be read: ${hide(String(error))}`;
      life.setDegraded(problem);
      warn(problem);
    }
  });

  async function call(tool: string, input: unknown, { signal, session }: ToolContext): Promise<string> {
    login?.requireUser(session.user);
    const connection = life.connection();
    if (connection === undefined) throw unavailable(name, life);
    const admitted = offer.admitted.get(tool);
    if (admitted === undefined) throw failed(name, `it offers ${JSON.stringify(tool)} no longer.`);
    try {
      return await callServer(connection, admitted, input, { timeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (isLost(error)) {
        lost = error;
        void connection.close();
      }
      if (error instanceof RuntimeError) throw error;
      const said = hide(error instanceof Error ? error.message : String(error));
      throw failed(name, said.slice(0, 1_000), error);
    }
  }

  return {
    name,
    isDeferred: config.defer,
    async start() {
      life.start();
      if (config.startup === 'wait') await life.whenSettled();
    },
    tools: () => offer.tools,
    status() {
      const lastProblem = life.lastProblem();
      return {
        server: name,
        state: life.state(),
        tools: { offered: offer.tools.length, listed: offer.listed },
        restarts: life.restarts(),
        ...(version !== undefined && { protocolVersion: version }),
        ...(lastProblem !== undefined && { lastProblem }),
      };
    },
    close: () => life.close(),
  };
}

function untrusted(): RuntimeError {
  return new RuntimeError(
    'RUNTIME_MCP_UNAVAILABLE',
    'It is not started, since its folder is not trusted: it would run what the files of the folder say. Trust it first.',
  );
}

function unavailable(
  server: string,
  life: Pick<ReturnType<typeof createServerLife>, 'state' | 'lastProblem'>,
): RuntimeError {
  const problem = life.lastProblem();
  return new RuntimeError(
    'RUNTIME_MCP_UNAVAILABLE',
    `The MCP server ${server} is ${life.state()}, so that its tools can't be called now.` +
      (problem === undefined ? '' : ` ${problem}`),
  );
}

function failed(server: string, problem: string, cause?: unknown): RuntimeError {
  return new RuntimeError('RUNTIME_MCP_FAILED', `The MCP server ${server}: ${problem}`, { cause });
}
