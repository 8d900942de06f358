import path from 'node:path';
import process from 'node:process';
import { createToolRegistry } from '@quartermaster/agent';
import type { Tool, ToolRegistry } from '@quartermaster/agent';
import { callTool, createQualifiedNames } from '@quartermaster/agent/engine';
import type { ToolOutcome } from '@quartermaster/agent/engine';
import { readHost } from '@quartermaster/agent/services';
import { createMcpToolset } from '@quartermaster/runtime/toolsets';
import type {
  McpConfig,
  McpState,
  McpTiming,
  McpToolset,
  McpToolsetOptions,
} from '@quartermaster/runtime/toolsets';

/** Resolves once it holds; what does not come within 8 s fails the test. */
export async function until(holds: () => boolean): Promise<void> {
  const untilMs = performance.now() + 8_000;
  while (!holds()) {
    if (performance.now() > untilMs) throw new Error(`never came: ${String(holds)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A toolset under test, closed with the test. */
export interface Bench extends AsyncDisposable {
  readonly toolset: McpToolset;
  start(signal?: AbortSignal): Promise<void>;
  readonly registry: ToolRegistry;
  readonly warnings: readonly string[];
  /** The waits before restarts, in ms; each goes on when the test says so. */
  readonly waits: readonly number[];
  /** Ends the wait that is under way. */
  wakeUp(): void;
  /** Calls a tool by the server's own name. */
  call(tool: string, input?: unknown, signal?: AbortSignal): Promise<ToolOutcome>;
  /** The same for a tool that it may no longer list. */
  callTool(tool: Tool | undefined, input?: unknown, signal?: AbortSignal): Promise<ToolOutcome>;
  /** The server's own names. */
  names(): readonly string[];
  tool(name: string): Tool | undefined;
  readonly until: typeof until;
  untilState(state: McpState): Promise<void>;
}

const defaults: McpConfig = {
  type: 'mcp',
  startup: 'wait',
  startupSeconds: 15,
  timeoutSeconds: 8,
  restart: 'on-failure',
  maxRestarts: 5,
  defer: false,
};

/** The configuration of one of the servers in `fixtures`. */
export function program(name: string, ...args: readonly string[]): Partial<McpConfig> {
  return {
    command: process.execPath,
    args: [path.join(import.meta.dirname, '..', 'fixtures', `mcp-${name}.ts`), ...args],
  };
}

export interface BenchOptions extends Partial<McpToolsetOptions> {
  readonly clock?: McpTiming['clock'];
  /** Who calls. */
  readonly user?: string;
}

/** A toolset that was not started. */
export function createBench(
  config: Partial<McpConfig>,
  { clock = Date, user = 'ann', ...options }: BenchOptions = {},
): Bench {
  const registry = options.registry ?? createToolRegistry();
  const warnings: string[] = [];
  const waits: number[] = [];
  let wake: (() => void) | undefined;
  const names = options.names ?? createQualifiedNames();
  const name = options.name ?? 'test';
  const toolset = createMcpToolset(
    { ...defaults, ...config },
    {
      name,
      names,
      registry,
      workspace: process.cwd(),
      env: process.env,
      host: readHost(),
      fetch,
      publicFetch: fetch,
      isProjectTrusted: () => true,
      warn: (message) => warnings.push(message),
      timing: {
        clock,
        random: () => 1,
        sleep(ms, { signal }) {
          waits.push(ms);
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          wake = resolve;
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          return promise;
        },
      },
      ...options,
    },
  );
  const tool = (raw: string): Tool | undefined =>
    toolset.tools().find((each) => names.originOf(each.name)?.tool === raw);
  const callIssued: Bench['callTool'] = (issued, input = {}, signal = new AbortController().signal) =>
    callTool(
      issued,
      { callId: 'call', session: { app: 'app', user, session: 'ses' }, input, signal },
      { registry, gate: async () => ({ type: 'allow' }), services: {} },
    );
  return {
    toolset,
    start: (signal = new AbortController().signal) => toolset.start({ signal }),
    registry,
    warnings,
    waits,
    wakeUp: () => wake?.(),
    until,
    untilState: (state) => until(() => toolset.status().state === state),
    names: () => toolset.tools().map((each) => names.originOf(each.name)?.tool ?? each.name),
    tool,
    call: (raw, input, signal) => callIssued(tool(raw), input, signal),
    callTool: callIssued,
    [Symbol.asyncDispose]: () => toolset.close(),
  };
}
