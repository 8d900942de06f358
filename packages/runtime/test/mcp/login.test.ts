import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileLoginStore, loginToMcpServer } from '@quartermaster/runtime/toolsets';
import type { McpConfig, McpLogins } from '@quartermaster/runtime/toolsets';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLoginFetch } from '../../src/toolsets/mcp/oauth/login-fetch.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { createBench } from './bench.ts';
import { createOldHandler, listen } from './http-servers.ts';
import type { HttpServer } from './http-servers.ts';

const failed = (said: string) => ({ type: 'failed', error: { message: expect.stringContaining(said) } });

let folder: string;
let authorization: AuthorizationServer;
let server: HttpServer;

beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'quartermaster-logins-')), 'logins');
  authorization = createAuthorizationServer();
  server = await listen(authorization.guard(createOldHandler()));
});

afterEach(async () => {
  await server.close();
  await rm(path.dirname(folder), { recursive: true });
});

const createStore = () => createFileLoginStore({ folder, clock: Date, sleep, ids: randomUUID });

function logins(user = 'ann'): McpLogins {
  return { store: createStore(), user, advice: (name) => `run "log-in ${name}".` };
}

/** Logs in with a browser that agrees to everything, or does what `browse` does. */
async function logIn(browse: (url: URL) => Promise<unknown> = (url) => fetch(url)): Promise<void> {
  const config = { type: 'mcp', url: server.url } as McpConfig;
  await loginToMcpServer({
    config,
    env: {},
    store: createStore(),
    user: 'ann',
    fetch,
    publicFetch: fetch,
    ids: randomUUID,
    show: (url) => void browse(url),
    signal: AbortSignal.timeout(10_000),
  });
}

test('without a login a server is given up at once, and what to do is said; nobody is registered', async () => {
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  expect(bench.toolset.status()).toMatchObject({
    state: 'failed',
    restarts: 0,
    lastProblem: 'It asks ann for a login: run "log-in test".',
  });
  expect(authorization.asked).not.toContain('/register');
});

test('a server that asks for a login where there are none is given up', async () => {
  await using bench = createBench({ url: server.url });
  await bench.start();
  expect(bench.toolset.status()).toMatchObject({
    state: 'failed',
    lastProblem: expect.stringContaining('login'),
  });
});

test('RT2: after a login with PKCE the server is used, also by a later process', async () => {
  await logIn();
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  expect(await bench.call('echo', { text: 'in' })).toEqual({ type: 'completed', output: 'in' });
});

test('C3: what is kept of a login is read by its owner alone, and no token is shown', async () => {
  await logIn();
  const [name = ''] = await readdir(folder);
  const file = path.join(folder, name);
  const [{ mode: fileMode }, { mode: folderMode }] = await Promise.all([stat(file), stat(folder)]);
  expect([fileMode & 0o777, folderMode & 0o777]).toEqual([0o600, 0o700]);
  const { tokens } = JSON.parse(await readFile(file, 'utf8'));
  authorization.revokeAll();
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  const shown = JSON.stringify([bench.toolset.status(), bench.warnings]);
  for (const token of [tokens.access_token, tokens.refresh_token]) expect(shown).not.toContain(token);
});

test('case 137: tokens that are over are renewed once, however many processes find out together', async () => {
  await logIn();
  const benches = [1, 2, 3].map(() => createBench({ url: server.url }, { logins: logins() }));
  await Promise.all(benches.map((bench) => bench.start()));
  authorization.expireAccess();
  const outcomes = await Promise.all(
    benches.flatMap((bench) => ['a', 'b'].map((text) => bench.call('echo', { text }))),
  );
  expect(outcomes.map(({ type }) => type)).toEqual(Array(6).fill('completed'));
  expect(authorization.renewals()).toBe(1);
  await Promise.all(benches.map((bench) => bench.toolset.close()));
});

test('a login that was revoked asks for a new one, and a new one is taken at the next start', async () => {
  await logIn();
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  authorization.revokeAll();
  expect(await bench.call('echo', { text: 'x' })).toMatchObject(failed('run "log-in test"'));
  await logIn();
  expect(await bench.call('echo', { text: 'x' })).toMatchObject({ type: 'completed' });
});

test('case 137: nobody calls a server with the login of another user', async () => {
  await logIn();
  await using bench = createBench({ url: server.url }, { logins: logins(), user: 'bob' });
  await using own = createBench({ url: server.url }, { logins: logins('bob') });
  await Promise.all([bench.start(), own.start()]);
  expect(await bench.call('echo', { text: 'x' })).toMatchObject(failed('not shared'));
  expect(own.toolset.status().state).toBe('failed');
});

test('a callback with another state changes nothing, and the login goes on', async () => {
  const seen: number[] = [];
  await logIn(async (url) => {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.search = '?code=forged&state=guessed';
    seen.push((await fetch(back)).status);
    await fetch(url);
  });
  expect(seen).toEqual([400]);
});

test('a person who refuses is told so, and the login that was there stays', async () => {
  await logIn();
  const refuse = async (url: URL): Promise<void> => {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.search = `?error=access_denied&state=${url.searchParams.get('state')}`;
    await fetch(back);
  };
  await expect(logIn(refuse)).rejects.toMatchObject({ code: 'RUNTIME_MCP_LOGIN' });
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  expect(bench.toolset.status().state).toBe('ready');
});

test('a broken file of a login is named and never replaced in silence', async () => {
  await logIn();
  const [name = ''] = await readdir(folder);
  await writeFile(path.join(folder, name), '{"tok');
  await using bench = createBench({ url: server.url }, { logins: logins() });
  await bench.start();
  expect(bench.toolset.status().lastProblem).toContain(name);
  expect(await readFile(path.join(folder, name), 'utf8')).toBe('{"tok');
});

test('a lock that a dead process left is not waited for', async () => {
  await logIn();
  const [name = ''] = await readdir(folder);
  await writeFile(path.join(folder, `${name}.lock`), '');
  const later = { now: () => Date.now() + 61_000 };
  const store = createFileLoginStore({ folder, clock: later, sleep, ids: randomUUID });
  await store.change({ user: 'ann', url: server.url }, async (login) => {
    expect(login.tokens).toBeDefined();
    return undefined;
  });
});

test('a server of the public net sends this program to no address of its own network', async () => {
  const asked: string[] = [];
  const note = (way: string) => async (input: string | URL | Request) => {
    asked.push(`${way} ${new Request(input).url}`);
    return new Response();
  };
  const ways = { fetch: note('free'), publicFetch: note('public') };
  const outside = createLoginFetch(new URL('https://1.1.1.1/mcp'), ways);
  await outside('https://1.1.1.1/token');
  await outside('http://169.254.169.254/token');
  await createLoginFetch(new URL('http://127.0.0.1:1/mcp'), ways)('http://127.0.0.1:2/token');
  expect(asked).toEqual([
    'free https://1.1.1.1/token',
    'public http://169.254.169.254/token',
    'free http://127.0.0.1:2/token',
  ]);
});
