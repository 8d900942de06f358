import { formatMcpStatus } from '@quartermaster/runtime/toolsets';
import type { McpStatus } from '@quartermaster/runtime/toolsets';
import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';

/** Tells people of the MCP servers that are not ready, and programs of all. */
export function showServers(
  servers: readonly McpStatus[],
  { json }: CommandOptions,
  { out, err }: Pick<Surroundings, 'out' | 'err'>,
): void {
  if (json === true) {
    if (servers.length > 0) out.write(`${JSON.stringify({ type: 'mcp-status', servers })}\n`);
    return;
  }
  for (const server of servers.filter(({ state }) => state !== 'ready')) {
    const advice = server.state === 'starting' ? '; a turn waits for it with startup: wait' : '';
    err.write(`MCP server ${formatMcpStatus(server)}${advice}\n`);
  }
}
