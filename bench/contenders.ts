import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { proxyCore } from './cores.ts';
import type { Target } from './load.ts';
import { findNginx, installPortkey } from './peers.ts';
import { type RunningProcess, startProcess } from './running-process.ts';

/** A proxy that is running in front of the upstream, or (`direct`) nothing at all. */
export interface RunningContender extends AsyncDisposable {
  readonly target: Target;
  /** `undefined`: no process of its own. */
  readonly process: RunningProcess | undefined;
}

/** One way to reach the upstream. `start` answers why where it can't be had on this machine. */
export interface Contender {
  readonly name: string;
  start(upstreamPort: number): Promise<RunningContender | { readonly unavailable: string }>;
}

export const presets = ['off', 'observe', 'ultrahigh'] as const;

/** In the order of the table. */
export const contenders: readonly Contender[] = [
  { name: 'direct', start: startDirect },
  { name: 'nginx', start: startNginx },
  { name: 'raw-node', start: startRawNode },
  ...presets.map((preset) => ({
    name: `quartermaster-${preset}`,
    start: (upstreamPort: number) => startGateway(upstreamPort, preset),
  })),
  { name: 'portkey-1.15.2', start: startPortkey },
];

const messages = { path: '/v1/messages', headers: {} };

async function startDirect(upstreamPort: number): Promise<RunningContender> {
  return {
    target: { ...messages, port: upstreamPort },
    process: undefined,
    async [Symbol.asyncDispose]() {},
  };
}

async function startRawNode(upstreamPort: number): Promise<RunningContender> {
  return contend(await startScript('raw-node.ts', [String(upstreamPort)]), messages);
}

/** Our gateway in one preset, with a store and a history of its own. */
export async function startGateway(
  upstreamPort: number,
  preset: (typeof presets)[number],
): Promise<RunningContender> {
  const running = await startScript('gateway-process.ts', [String(upstreamPort), preset]);
  return contend(running, { path: '/anthropic/v1/messages', headers: {} });
}

/** The provider of all contenders, beside the load. */
export function startUpstream(core: number): Promise<RunningProcess> {
  return startProcess({ command: process.execPath, args: [script('upstream.ts')], core });
}

async function startPortkey(
  upstreamPort: number,
): Promise<RunningContender | { readonly unavailable: string }> {
  const install = await installPortkey();
  if ('unavailable' in install) return install;
  const running = await startScript('portkey.ts', [install.startFile], {
    // Its guard against requests to private addresses.
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
    NODE_ENV: 'production',
  });
  const host = `http://127.0.0.1:${upstreamPort}/v1`;
  const headers = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': host };
  return contend(running, { ...messages, headers });
}

async function startNginx(
  upstreamPort: number,
): Promise<RunningContender | { readonly unavailable: string }> {
  const nginx = await findNginx();
  if ('unavailable' in nginx) return nginx;
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, nginxConfiguration({ folder, port, upstreamPort }));
  const args = ['-p', folder, '-e', path.join(folder, 'error.log'), '-c', file];
  const running = await startProcess({ command: nginx.program, args, core: proxyCore, port });
  await untilListening(port);
  return {
    ...contend(running, messages),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One process, kept-alive connections, and as little between the two sides as nginx can do. */
function nginxConfiguration(options: {
  readonly folder: string;
  readonly port: number;
  readonly upstreamPort: number;
}): string {
  return `
daemon off;
master_process off;
pid ${options.folder}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${options.folder}/body;
  proxy_temp_path ${options.folder}/proxy;
  fastcgi_temp_path ${options.folder}/fastcgi;
  uwsgi_temp_path ${options.folder}/uwsgi;
  scgi_temp_path ${options.folder}/scgi;
  client_max_body_size 64m;
  keepalive_requests 1000000;
  upstream provider { server 127.0.0.1:${options.upstreamPort}; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${options.port};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`;
}

function contend(running: RunningProcess, target: Omit<Target, 'port'>): RunningContender {
  return {
    target: { ...target, port: running.port },
    process: running,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

function startScript(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningProcess> {
  const node = ['--conditions=quartermaster-source', '--disable-warning=ExperimentalWarning'];
  return startProcess({
    command: process.execPath,
    args: [...node, script(name), ...args],
    core: proxyCore,
    env,
  });
}

function script(name: string): string {
  return new URL(`contenders/${name}`, import.meta.url).pathname;
}

/** A port that was free a moment ago, for a program that can't choose one itself. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('expected a port of 127.0.0.1, got none.');
}

const listenDeadlineMs = 5_000;

async function untilListening(port: number): Promise<void> {
  const deadlineMs = performance.now() + listenDeadlineMs;
  while (!(await canConnect(port))) {
    if (performance.now() > deadlineMs)
      throw new Error(`nothing listens on port ${port} after ${listenDeadlineMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const end = (isOpen: boolean) => (): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
