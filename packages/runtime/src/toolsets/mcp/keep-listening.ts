import type { Client } from '@modelcontextprotocol/client';
import { backoffMs } from './backoff.ts';
import type { McpTiming } from './timing.ts';

/** How a server is listened to. */
export interface ListeningOptions {
  readonly timing: McpTiming;
  readonly onListChanged: () => void;
  /** Aborted with the connection. */
  readonly signal: AbortSignal;
}

/**
 * In the newer era a server tells of changes on a stream that may break off by itself, as behind a proxy that ends what
 * is idle. It is opened again, with growing waits, and what changed meanwhile is asked for. Never rejects.
 */
export async function keepListening(
  client: Client,
  { timing, onListChanged, signal }: ListeningOptions,
): Promise<void> {
  let subscription = client.autoOpenedSubscription;
  if (subscription === undefined) return;
  for (let lost = 1; ; lost += 1) {
    if ((await subscription?.closed) === 'local' || signal.aborted) return;
    try {
      await timing.sleep(backoffMs(lost, timing.random), { signal });
      subscription = await client.listen({ toolsListChanged: true }, { signal });
      lost = 0;
      onListChanged();
    } catch {
      if (signal.aborted) return;
      subscription = undefined; // not there yet
    }
  }
}
