import { Client, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { CallToolResult, Transport } from '@modelcontextprotocol/client';
import type { JsonSchema } from '@quartermaster/agent/engine';
import { listTools } from './list-tools.ts';
import type { ListedTools } from './list-tools.ts';

/** A server that is connected. */
export interface McpConnection {
  /** The revision of the protocol that is spoken. */
  readonly protocolVersion: string;
  list(options: RequestLimits): Promise<ListedTools>;
  call(call: McpCall, options: RequestLimits): Promise<CallToolResult>;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
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
  /** Makes a transport that was not used before. */
  readonly openTransport: () => Transport;
  readonly onListChanged: () => void;
}

/**
 * Connects in the newest revision that the server speaks. A program that ends at a question that it does not know is
 * started a second time and asked in the old way. Rejects when there is no connection in time; nothing is left then.
 */
export async function connect(options: ConnectOptions): Promise<McpConnection> {
  try {
    return await attempt(options, 'auto');
  } catch (error) {
    const isOldProgram = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!isOldProgram || options.signal.aborted) throw error;
    return await attempt(options, 'legacy');
  }
}

async function attempt(
  { openTransport, onListChanged, timeoutMs, signal }: ConnectOptions,
  mode: 'auto' | 'legacy',
): Promise<McpConnection> {
  const client = createClient(onListChanged, { mode, probe: { timeoutMs: timeoutMs / 3 } });
  const ended = Promise.withResolvers<void>();
  client.onclose = () => ended.resolve();
  const transport = openTransport();
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
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    list: (limits) => listTools(client, limits),
    call: ({ name, arguments: args, inputSchema }, limits) =>
      client.callTool(
        { name, arguments: args },
        {
          signal: limits.signal,
          timeout: limits.timeoutMs,
          allowInputRequired: true,
          toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
        },
      ),
    ended: ended.promise,
    close: () => client.close(),
  };
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
