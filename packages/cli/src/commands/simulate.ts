import { catalog } from '@quartermaster/catalog';
import { createSimulator } from '@quartermaster/simulator';
import { CliError } from '../errors.ts';
import { startServer } from '../server.ts';
import { awaitStopSignal } from '../stop-signal.ts';
import type { Surroundings } from '../surroundings.ts';
import { loadTokenCounter } from '../token-counter.ts';
import type { CommandOptions } from './setting-flags.ts';

const host = '127.0.0.1';
/** Nothing simulated is worth a longer wait. */
const drainMs = 1_000;

/** `qm simulate`: the simulated provider alone, until SIGTERM or SIGINT. */
export async function runSimulate(options: CommandOptions, surroundings: Surroundings): Promise<void> {
  const port = readPort(String(options['port']));
  using stop = awaitStopSignal(surroundings);
  const { clock, out, pid } = surroundings;
  const countTokens = options['tokens'] === 'bytes' ? countBytes : await loadTokenCounter();
  const simulator = createSimulator({ catalog, clock, countTokens, binding: options['binding'] === 'on' });
  const server = await startServer(simulator, { host, port });
  const { url } = server;
  out.write(options['json'] === true ? `${JSON.stringify({ url, pid })}\n` : formatGreeting(url));
  await stop.asked;
  await server.drain(drainMs);
}

/** A fourth of a token for each byte, for runs where speed matters more than likeness. */
function countBytes(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CliError(
    'CLI_WRONG_USE',
    `--port: expected a whole number from 0 to 65535, came ${JSON.stringify(text)}.`,
  );
}

function formatGreeting(url: string): string {
  const lines = [
    `A simulated provider listens on ${url}; any key will do.`,
    '',
    `  Claude Code   ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any claude`,
    `  a gateway     qm gateway --anthropic-upstream ${url}`,
    `  the bill      curl ${url}/_simulator/requests`,
    '',
    'A prompt scripts the answers: @@[{"text":"I look."},{"tool":"Bash","input":{"command":"ls"}}]@@',
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}
