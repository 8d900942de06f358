import { connect } from './connection.ts';
import type { ConnectOptions, McpConnection } from './connection.ts';
import type { ListedTools } from './list-tools.ts';

/** How a server is opened. */
export interface OpenOptions extends Pick<ConnectOptions, 'transports' | 'timing'> {
  /** For all of it, the first list included. */
  readonly startupMs: number;
  readonly take: (listed: ListedTools) => void;
  /** Once it is open. */
  readonly onListChanged: () => void;
  readonly signal: AbortSignal;
}

/** Connects and takes the first list; a list that changes while it is read is read again. Rejects when it is too late. */
export async function openServer({
  startupMs,
  signal,
  take,
  ...options
}: OpenOptions): Promise<McpConnection> {
  const deadline = AbortSignal.timeout(startupMs);
  const limits = { timeoutMs: startupMs, signal: AbortSignal.any([signal, deadline]) };
  let isStale = true;
  const onListChanged = (): void => {
    isStale = true;
    options.onListChanged();
  };
  let connection: McpConnection | undefined;
  try {
    connection = await connect({ ...options, ...limits, onListChanged });
    while (isStale) {
      isStale = false;
      take(await connection.list(limits));
    }
    return connection;
  } catch (error) {
    await connection?.close();
    throw deadline.aborted ? deadline.reason : error;
  }
}
