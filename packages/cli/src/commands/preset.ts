import { CliError } from '../errors.ts';
import { createGatewayClient, type GatewayClient } from '../gateway-client.ts';
import { isLoopback } from '../loopback.ts';
import type { Surroundings } from '../surroundings.ts';
import { formatTable } from '../table.ts';
import { noteOfMemory, readAccount } from './account.ts';
import type { CommandOptions } from './setting-flags.ts';

/** The outcome of an ask for a check (PR6). */
type Probe = 'asked' | 'not_routed' | 'unavailable';

const presets: readonly (readonly [name: string, does: string])[] = [
  ['off', 'forwards every request as it came'],
  ['observe', 'the same, and learns which tools are used'],
  ['xhigh', 'leaves out the tools on the remove list'],
  ['ultrahigh', 'xhigh, and defers the tools that are never used'],
];

/** `qm preset`: shows the preset and the choices, or sets one for new conversations. */
export async function runPreset(
  name: string | undefined,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  if (name === undefined && options['now'] === true) {
    throw new CliError(
      'CLI_WRONG_USE',
      '--now: expected a preset to end decisions for, such as qm preset off --now.',
    );
  }
  const client = createGatewayClient(options, surroundings);
  if (name === undefined) await show(client, options, surroundings);
  else await pick(name, client, options, surroundings);
}

async function show(client: GatewayClient, options: CommandOptions, { out }: Surroundings): Promise<void> {
  const { preset } = readAccount(await client.ask('GET', '/api/v1/account'));
  const choices = presets.map(([name]) => name);
  if (options['json'] === true) {
    out.write(`${JSON.stringify({ preset, choices })}\n`);
    return;
  }
  const rows = presets.map(([name, does]) => [name === preset ? '*' : '', name, does]);
  out.write(formatTable(['', 'preset', 'what it does'], rows));
}

async function pick(
  name: string,
  client: GatewayClient,
  options: CommandOptions,
  { out, env }: Surroundings,
): Promise<void> {
  const account = readAccount(await client.ask('PATCH', '/api/v1/account', { preset: name }));
  const ended = options['now'] === true ? await client.ask('POST', '/api/v1/threads/end', {}) : undefined;
  const probe = name === 'ultrahigh' ? await askForCheck(client, env) : undefined;
  if (options['json'] === true) {
    out.write(`${JSON.stringify({ preset: account.preset, ended, probe })}\n`);
    return;
  }
  const running = ended === undefined ? ' Those that are running keep what was decided for them.' : '';
  out.write(`The preset is ${account.preset} for new conversations.${running}\n`);
  if (ended !== undefined) out.write(`${formatEnded(ended)}\n`);
  out.write(noteOfMemory(account));
  if (probe !== undefined) out.write(`probe=${probe}\n`);
}

/** The ask is used up by the client's next request: of no use where the client's requests go elsewhere. */
async function askForCheck(client: GatewayClient, env: Surroundings['env']): Promise<Probe> {
  if (!isRouted(client.url, env)) return 'not_routed';
  return (await client.tryPost('/tool-defer/probe')) === 202 ? 'asked' : 'unavailable';
}

/** Told by the base URL of this shell. Without one it is known only inside the client itself, which then has none. */
function isRouted(url: string, env: Surroundings['env']): boolean {
  const base = env['ANTHROPIC_BASE_URL'];
  if (base === undefined || base === '') return env['CLAUDECODE'] === undefined;
  return placeOf(base) === placeOf(url);
}

/** Loopback has several names. */
function placeOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  const host = isLoopback(parsed.hostname) ? 'loopback' : parsed.hostname;
  return `${parsed.protocol}//${host}:${parsed.port}`;
}

function formatEnded(ended: unknown): string {
  const { threads, spared, active, estimated_tokens: tokens } = Object(ended);
  const lines = [`Ended the decisions of ${threads} running conversations.`];
  if (active > 0) {
    lines.push(
      `${active} of them write their prompt to the cache anew: about ${Number(tokens).toLocaleString('en')} tokens (bytes / 4).`,
    );
  }
  if (spared > 0) {
    lines.push(
      `${spared} more stay as they are: their model binds its thinking to the prompt, and would refuse another.`,
    );
  }
  return lines.join('\n');
}
