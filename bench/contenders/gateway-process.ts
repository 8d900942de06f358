import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { catalog } from '@quartermaster/catalog';
import { createGateway, type Log, type Preset } from '@quartermaster/gateway';
import { openSqliteStore, type Store } from '@quartermaster/store';
import { model, toolNames, usedTools } from '../request-body.ts';
import { announce } from './announce.ts';

/** Our gateway with a durable store whose history defers most tools. Arguments: the upstream's port, the preset. */
const [upstreamPort, preset] = process.argv.slice(2);
const upstream = new URL(`http://127.0.0.1:${upstreamPort}`);
const clock = { now: () => Date.now() };

const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-bench-'));
const store = await openSqliteStore({ folder, clock });
await seed(store);

const gateway = createGateway({
  preset: preset as Preset,
  upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
  store,
  catalog,
  countTokens: (text) => Math.ceil(text.length / 4),
  log: createLog(),
  clock,
  ids: randomUUID,
});
await gateway.ready;
const server = http.createServer(gateway.listener);
announce(server);

process.once('SIGTERM', () => {
  server.closeAllConnections();
  void gateway
    .close()
    .then(() => store.close())
    .then(() => rm(folder, { recursive: true, force: true }))
    .finally(() => process.exit());
});

/** What RU2 asks for, and a verdict that spares the upstream a check. */
async function seed({ history, verdicts }: Store): Promise<void> {
  const sessions = ['one', 'two', 'three'].map((session) => ({
    tenant: 'local',
    session,
    project: 'none',
    declared: toolNames,
    used: usedTools,
    lastActivityMs: clock.now(),
  }));
  await history.save(sessions);
  const checked = { upstream: upstream.origin, model, route: '/v1/messages' };
  await verdicts.save({ ...checked, verdict: 'pass', checkedAtMs: clock.now() });
}

/** A JSON line for each call, written at once: a log has its price, and it belongs in the figures. */
function createLog(): Log {
  const write = (level: keyof Log) => (facts: object, message: string) => {
    const time = new Date().toISOString();
    writeSync(process.stderr.fd, `${JSON.stringify({ level, time, ...facts, msg: message })}\n`);
  };
  return { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') };
}
