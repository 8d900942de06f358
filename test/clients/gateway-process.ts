import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

const program = new URL('../../packages/cli/bin/qm.js', import.meta.url).pathname;
/** On a machine that is busy with other clients. */
const startDeadlineMs = 60_000;

export interface GatewayProcessOptions {
  readonly anthropicUpstream: string;
  /** Folder of the durable store. */
  readonly store: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** `qm gateway --preset ultrahigh` in a process of its own. */
export interface GatewayProcess extends AsyncDisposable {
  readonly port: number;
  /** What a client takes as its base URL. */
  readonly anthropicUrl: string;
  /** The JSON of `/stats`. */
  stats(): Promise<unknown>;
  /** Everything that it has written to standard error so far. */
  said(): string;
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM: everything is written first. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Resolves when the gateway listens; rejects with what it said when it ends before that. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const child = spawn(process.execPath, gatewayArguments(options), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // On a busy machine the store may take longer than a user should wait for it (O1, O3).
    env: { ...process.env, QM_LIMITS_CLAIM_MS: '5000', QM_LIMITS_READ_MS: '5000' },
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const kill = (): Promise<void> => end('SIGKILL');
  try {
    const { url } = await firstLine(child.stdout);
    return {
      port: Number(new URL(url).port),
      anthropicUrl: new URL('/anthropic', url).href,
      stats: async () => (await fetch(new URL('/stats', url))).json(),
      said: () => said,
      kill,
      stop: () => end('SIGTERM'),
      [Symbol.asyncDispose]: kill,
    };
  } catch (cause) {
    await kill();
    throw new Error(`The gateway did not start. It said: ${said || 'nothing'}`, { cause });
  }
}

function gatewayArguments(options: GatewayProcessOptions): string[] {
  const node = ['--conditions=quartermaster-source', program];
  const where = ['--port', String(options.port), '--store', options.store];
  const upstream = ['--anthropic-upstream', options.anthropicUpstream];
  return [...node, 'gateway', '--preset', 'ultrahigh', ...where, ...upstream, '--json'];
}

/** With `--json` the first line of standard output says where the gateway listens. */
async function firstLine(stdout: NodeJS.ReadableStream): Promise<{ readonly url: string }> {
  const lines = createInterface({ input: stdout });
  const ended = once(lines, 'close').then(() => {
    throw new Error('Its standard output ended before a first line.');
  });
  const [line] = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(startDeadlineMs) }),
    ended,
  ]);
  const parsed: unknown = JSON.parse(String(line));
  if (typeof parsed === 'object' && parsed !== null && 'url' in parsed && typeof parsed.url === 'string') {
    return { url: parsed.url };
  }
  throw new Error(`Its first line has no url: ${String(line)}`);
}
