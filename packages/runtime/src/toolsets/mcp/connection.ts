import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { CallToolResult, Transport } from '@modelcontextprotocol/client';
import type { JsonSchema } from '@quartermaster/agent/engine';
import { keepListening } from './keep-listening.ts';
import { listTools } from './list-tools.ts';
import type { ListedTools } from './list-tools.ts';
import type { McpTiming } from './timing.ts';
import type { Transports } from './transports.ts';
import { untilAborted } from './until-aborted.ts';

/** A server that is connected. */
export interface McpConnection {
  /** The revision of the protocol that is spoken. */
  readonly protocolVersion: string;
  list(options: RequestLimits): Promise<ListedTools>;
  call(call: McpCall, options: RequestLimits): Promise<CallToolResult>;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Takes leave of the server and ends; may be called twice. */
  close(): Promise<void>;
  /** Ends at once: nobody is at the other end. */
  drop(): void;
}

/** How long an answer is waited for. */
export interface RequestLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One call of a tool, as the server takes it. */
export interface McpCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** Some of its arguments may have to be sent as headers too. */
  readonly inputSchema: JsonSchema;
}

/** How a server is connected to. */
export interface ConnectOptions extends RequestLimits {
  readonly transports: Pick<Transports, 'open' | 'openOld' | 'watch'>;
  readonly timing: McpTiming;
  readonly onListChanged: () => void;
}

/**
 * Connects in the newest revision that the server speaks. A program that ends at a question that it does not know is
 * started a second time and asked in the old way, and an address that takes no requests is tried in the oldest form of
 * HTTP. Rejects when there is no connection in time; nothing is left then.
 */
export async function connect(options: ConnectOptions): Promise<McpConnection> {
  const { transports, signal } = options;
  try {
    return await attempt(options, { transport: transports.open(), mode: 'auto' });
  } catch (error) {
    const older = signal.aborted ? undefined : olderWay(error, transports);
    if (older === undefined) throw error;
    return await attempt(options, { transport: older, mode: 'legacy' });
  }
}

function olderWay(error: unknown, { open, openOld }: ConnectOptions['transports']): Transport | undefined {
  if (openOld === undefined) return isNegotiationFailure(error) ? open() : undefined;
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0) ? openOld() : undefined;
}

function isNegotiationFailure(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

interface Way {
  readonly transport: Transport;
  readonly mode: 'auto' | 'legacy';
}

async function attempt(options: ConnectOptions, { transport, mode }: Way): Promise<McpConnection> {
  const { timeoutMs, signal, onListChanged, timing, transports } = options;
  const client = createClient(onListChanged, { mode, probe: { timeoutMs: timeoutMs / 3 } });
  const ended = new AbortController();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onclose = () => ended.abort();
  const stop = (): void => void transport.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(transport, { timeout: timeoutMs, signal });
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  void keepListening(client, { timing, onListChanged, signal: ended.signal });
  return toConnection(client, { transport, ended: ended.signal, watch: transports.watch });
}

interface Attached extends Pick<Transports, 'watch'> {
  readonly transport: Transport;
  readonly ended: AbortSignal;
}

function toConnection(client: Client, { transport, ended, watch }: Attached): McpConnection {
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    list: (limits) => listTools(client, limits),
    call: ({ name, arguments: args, inputSchema }, { signal, timeoutMs }) => {
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
      const options = { signal, timeout: timeoutMs, allowInputRequired: true, toolDefinition };
      return watch(() => client.callTool({ name, arguments: args }, options));
    },
    ended: untilAborted(ended),
    async close() {
      if (!ended.aborted) await takeLeave(transport);
      await client.close();
    },
    drop: () => void client.close(),
  };
}

/** How long a server may take to hear that its session is over, in ms. */
const leaveMs = 1_000;

/** A server of the older era keeps a session until it is told that nobody needs it. */
async function takeLeave(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const left = transport.terminateSession().catch(() => undefined); // it need not take it
  await Promise.race([left, sleep(leaveMs, undefined, { ref: false })]);
}

type Negotiation = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']>;

function createClient(onListChanged: () => void, versionNegotiation: Negotiation): Client {
  const client = new Client(
    { name: 'quartermaster', version: '0.1.0' },
    {
      versionNegotiation,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
    },
  );
  client.setNotificationHandler('notifications/tools/list_changed', onListChanged); // also from one that did not say so
  return client;
}
