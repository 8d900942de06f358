import { createGatewayClient } from '../gateway-client.ts';
import type { Surroundings } from '../surroundings.ts';
import { formatTable } from '../table.ts';
import type { CommandOptions } from './setting-flags.ts';

/** `qm stats`: what the gateway has counted, one figure a line by its place in the JSON of `/stats`. */
export async function runStats(options: CommandOptions, surroundings: Surroundings): Promise<void> {
  const stats = await createGatewayClient(options, surroundings).ask('GET', '/stats');
  const { out } = surroundings;
  if (options['json'] === true) out.write(`${JSON.stringify(stats)}\n`);
  else out.write(formatTable(['counter', 'value'], flatten(stats, '')));
}

/** Empty groups have nothing to show. */
function flatten(value: unknown, path: string): string[][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    flatten(inner, path === '' ? key : `${path}.${key}`),
  );
}
