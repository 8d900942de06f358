import http from 'node:http';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../src/account/accounts.ts';
import type { AccountSettings } from '../src/account/settings.ts';
import type { Log, Preset } from '../src/index.ts';
import { callApi, setAccount } from './support/account.ts';
import { createCodingAgent } from './support/coding-agent.ts';
import { bashOnly, learn, openGateway } from './support/deferring.ts';
import { openTemporaryStore, startGateway } from './support/gateway.ts';
import { startSimulator } from './support/simulated.ts';
import { until } from './support/until.ts';

const nowhere = new URL('http://127.0.0.1:9');
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const defaults: AccountSettings = {
  preset: 'observe',
  toolfilter: { remove: ['Default'], defer: 'auto', keep: [] },
  endedAtMs: 0,
};

function accountsOver(store: Store['settings'] | undefined, presetOfStart?: Preset) {
  return createAccounts({ store, defaults, presetOfStart, clock: { now: () => Date.now() }, log: silent });
}

describe('the settings of an account', () => {
  test('PR2: what is set by command wins over the defaults, setting by setting, and survives a restart', async () => {
    await using temporary = await openTemporaryStore();
    const before = accountsOver(temporary.store.settings);
    await before.load('local');
    expect(before.settingsOf('local')).toEqual(defaults);
    await before.change('local', { preset: 'xhigh' });
    await before.change('local', { keep: { type: 'edit', add: ['Kept'], delete: [] } });
    const after = accountsOver(temporary.store.settings);
    expect(after.settingsOf('local')).toEqual(defaults);
    await after.load('local');
    expect(after.settingsOf('local')).toEqual({
      ...defaults,
      preset: 'xhigh',
      toolfilter: { ...defaults.toolfilter, keep: ['Kept'] },
    });
  });

  test('PR1: a preset named at the start holds for that run, until a command sets one', async () => {
    await using temporary = await openTemporaryStore();
    const named = accountsOver(temporary.store.settings, 'ultrahigh');
    await named.load('local');
    expect(named.settingsOf('local').preset).toBe('ultrahigh');
    const plain = accountsOver(temporary.store.settings);
    await plain.load('local');
    expect(plain.settingsOf('local').preset).toBe('observe');
    await named.change('local', { keep: { type: 'replace', names: [] } });
    expect(named.settingsOf('local').preset).toBe('ultrahigh');
    await named.change('local', { preset: 'off' });
    expect(named.settingsOf('local').preset).toBe('off');
    const again = accountsOver(temporary.store.settings, 'ultrahigh');
    await again.load('local');
    expect(again.settingsOf('local').preset).toBe('ultrahigh');
  });

  test('a change of another process is seen at the next look, and outweighs the preset of this start', async () => {
    await using temporary = await openTemporaryStore();
    const [ours, theirs] = [
      accountsOver(temporary.store.settings, 'ultrahigh'),
      accountsOver(temporary.store.settings),
    ];
    await theirs.change('local', { preset: 'xhigh' });
    await ours.load('local');
    await theirs.change('local', { keep: { type: 'edit', add: ['Kept'], delete: [] } });
    await ours.refresh();
    expect(ours.settingsOf('local')).toMatchObject({ preset: 'ultrahigh', toolfilter: { keep: ['Kept'] } });
    await theirs.change('local', { preset: 'off' });
    await ours.refresh();
    expect(ours.settingsOf('local').preset).toBe('off');
  });

  test('two processes that add to one list at once both have their name on it', async () => {
    await using temporary = await openTemporaryStore();
    const processes = [accountsOver(temporary.store.settings), accountsOver(temporary.store.settings)];
    await Promise.all(
      processes.flatMap((accounts, index) =>
        ['a', 'b', 'c'].map((name) =>
          accounts.change('local', {
            keep: { type: 'edit', add: [`${name}${index}`], delete: [] },
          }),
        ),
      ),
    );
    await processes[0]?.refresh();
    const keep = processes[0]?.settingsOf('local').toolfilter.keep ?? [];
    expect([...keep].toSorted()).toEqual(['a0', 'a1', 'b0', 'b1', 'c0', 'c1']);
  });

  test('law 8: what one account sets holds for no other', async () => {
    await using temporary = await openTemporaryStore();
    const accounts = accountsOver(temporary.store.settings);
    await accounts.change('alice', { preset: 'ultrahigh' });
    await accounts.load('alice2');
    expect(accounts.settingsOf('alice2')).toEqual(defaults);
  });

  test('a change that the store does not take counts for nothing, and says so', async () => {
    await using temporary = await openTemporaryStore();
    const { settings } = temporary.store;
    const failing = { ...settings, replace: () => Promise.reject(new Error('disk full')) };
    const accounts = accountsOver(failing);
    await expect(accounts.change('local', { preset: 'off' })).rejects.toMatchObject({
      code: 'GATEWAY_STORE_FAILED',
      message: expect.stringContaining('disk full'),
    });
    expect(accounts.settingsOf('local')).toEqual(defaults);
  });

  test('settings that can’t be understood leave the defaults in force, and can be set anew', async () => {
    await using temporary = await openTemporaryStore();
    const { settings } = temporary.store;
    await settings.replace({ tenant: 'local', settings: '{"preset":"turbo"}', changedAtMs: 1 }, undefined);
    const accounts = accountsOver(settings);
    await accounts.load('local');
    expect(accounts.settingsOf('local')).toEqual(defaults);
    await accounts.change('local', { preset: 'xhigh' });
    expect(accounts.settingsOf('local').preset).toBe('xhigh');
  });
});

describe('/api/v1/account', () => {
  test('shows what is in force and changes single parts of it', async () => {
    await using temporary = await openTemporaryStore();
    await using gateway = await startGateway(nowhere, {
      preset: 'observe',
      store: temporary.store,
      keep: ['A'],
    });
    expect((await callApi(gateway, 'GET', '/account')).body).toEqual({
      tenant: 'local',
      preset: 'observe',
      toolfilter: { remove: [], defer: 'auto', keep: ['A'], ownSearch: 'off' },
      is_durable: true,
    });
    const change = { toolfilter: { keep: { add: ['B', 'A'], delete: [] }, remove: ['mcp__crm'] } };
    expect((await callApi(gateway, 'PATCH', '/account', change)).body).toMatchObject({
      preset: 'observe',
      toolfilter: { remove: ['mcp__crm'], keep: ['A', 'B'] },
    });
    await setAccount(gateway, { toolfilter: { keep: { delete: ['A'] } } });
    expect((await callApi(gateway, 'GET', '/account')).body).toMatchObject({ toolfilter: { keep: ['B'] } });
  });

  test('without a store it says that what is set ends with the process', async () => {
    await using gateway = await startGateway(nowhere, { preset: 'observe' });
    const { body } = await callApi(gateway, 'PATCH', '/account', { preset: 'xhigh' });
    expect(body).toMatchObject({ preset: 'xhigh', is_durable: false });
  });

  test.each([
    [{ preset: 'turbo' }, 'preset: expected "off" or "observe" or "xhigh" or "ultrahigh", got "turbo".'],
    [{ presett: 'off' }, 'presett: there is no such setting; known are preset, toolfilter.'],
    [{ toolfilter: { deffer: 'off' } }, 'toolfilter.deffer: there is no such setting'],
    [{ toolfilter: { ownSearch: 'on' } }, 'toolfilter.ownSearch: expected "off", got "on".'],
    [
      { toolfilter: { remove: ['mcp__*'] } },
      "toolfilter.remove: expected a tool's exact name or mcp__server",
    ],
    [{ toolfilter: { keep: [''] } }, "toolfilter.keep: expected a tool's name"],
    [{ toolfilter: { keep: 'A' } }, 'toolfilter.keep: expected a JSON object, got "A".'],
    [{ toolfilter: { keep: { plus: [] } } }, 'toolfilter.keep.plus: there is no such setting'],
    [[], 'the body: expected a JSON object, got [].'],
  ])('refuses %j', async (change, message) => {
    await using gateway = await startGateway(nowhere, { preset: 'observe' });
    const { status, body } = await callApi(gateway, 'PATCH', '/account', change);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: { code: 'GATEWAY_BAD_REQUEST', message: expect.stringContaining(message) } },
    });
    expect(gateway.gateway.preset()).toBe('observe');
  });

  test('takes JSON only, of a length that it is told', async () => {
    await using gateway = await startGateway(nowhere, { preset: 'observe' });
    const send = async (headers: Record<string, string>, body: string): Promise<number> => {
      const url = new URL('/api/v1/account', gateway.url);
      return (await fetch(url, { method: 'PATCH', headers, body })).status;
    };
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect(await send({ 'content-type': 'text/plain' }, '{"preset":"off"}')).toBe(415);
    expect(await send(json, '{"preset":')).toBe(400);
    expect(await send(json, JSON.stringify({ preset: 'off', pad: 'x'.repeat(70_000) }))).toBe(413);
    expect(gateway.gateway.preset()).toBe('observe');
    expect(await send(json, '{"preset":"off"}')).toBe(200);
  });

  test('an unknown route says so', async () => {
    await using gateway = await startGateway(nowhere, { preset: 'observe' });
    expect(await callApi(gateway, 'GET', '/nothing')).toMatchObject({
      status: 404,
      body: { error: { code: 'GATEWAY_UNKNOWN_ROUTE' } },
    });
  });
});

/** One request with headers that `fetch` would not send. */
function statusOf(url: URL, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(new URL('/api/v1/account', url), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject);
  });
}

test.each([
  [{}, 200],
  [{ host: 'localhost:1' }, 200],
  [{ host: '[::1]:4000' }, 200],
  [{ host: 'rebound.example' }, 403],
  [{ host: '127.0.0.1.rebound.example' }, 403],
  [{ host: 'localhost:1', origin: 'http://localhost:1' }, 200],
  [{ host: 'localhost:1', origin: 'http://localhost:2' }, 403],
  [{ host: 'localhost:1', origin: 'null' }, 403],
  [{ host: 'rebound.example', origin: 'http://rebound.example' }, 403],
  [{ host: 'gateway.example', authorization: 'Bearer token' }, 200],
  [{ host: 'gateway.example', authorization: 'Bearer tokem' }, 403],
  [{ host: 'gateway.example', origin: 'http://other.example', authorization: 'Bearer token' }, 403],
])('a page of a stranger can’t use the API: %j is answered %i', async (headers, status) => {
  await using gateway = await startGateway(nowhere, { preset: 'observe', adminToken: 'token' });
  expect(await statusOf(gateway.url, headers)).toBe(status);
});

describe('/api/v1/threads', () => {
  test('shows the decision of each thread of a session with a reason per tool, before and after a restart', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await setAccount(gateway, { toolfilter: { remove: ['Planner', 'Read'], keep: ['Monitor'] } });
    const main = createCodingAgent({ url: gateway.url, folder: '/Read' });
    await main.turn(bashOnly);
    const sub = {
      session: main.session,
      agent: 'a1',
      tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
    };
    await createCodingAgent({ url: gateway.url, ...sub }).turn(bashOnly);
    const show = (of: typeof gateway) => callApi(of, 'GET', `/threads?session=${main.session}`);
    const before = await show(gateway);
    expect(before.body).toMatchObject({
      session: main.session,
      threads: [
        {
          agent: 'main',
          decided_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          decision: 'defer',
          deferred: ['Calendar', 'Notebook', 'mcp__crm'],
          removed: ['Planner'],
          reasons: {
            Bash: 'used-lately',
            Calendar: 'deferred',
            Clock: 'too-light',
            Monitor: 'kept',
            Planner: 'removed',
            Read: 'not removed: named-in-system-prompt',
          },
        },
        { agent: 'a1', decision: 'remove', reason: 'no-seldom-used-tool', deferred: [], removed: [] },
      ],
    });
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator);
    expect(await show(restarted)).toEqual(before);
  });

  test('knows no thread of an unknown session, and asks for one where none is named', async () => {
    await using gateway = await startGateway(nowhere, { preset: 'observe' });
    expect((await callApi(gateway, 'GET', '/threads?session=x')).body).toEqual({ session: 'x', threads: [] });
    expect(await callApi(gateway, 'GET', '/threads')).toMatchObject({ status: 400 });
  });

  test('a store that can’t be read is an error, never an empty answer', async () => {
    await using temporary = await openTemporaryStore();
    await using gateway = await startGateway(nowhere, { preset: 'observe', store: temporary.store });
    await temporary.store.close();
    expect(await callApi(gateway, 'GET', '/threads?session=x')).toMatchObject({
      status: 503,
      body: { error: { code: 'GATEWAY_STORE_FAILED' } },
    });
  });
});

test('two gateways on one store: a setting of one holds in the other within seconds', async () => {
  await using temporary = await openTemporaryStore();
  await using one = await startGateway(nowhere, { preset: 'observe', store: temporary.store });
  await using two = await startGateway(nowhere, { preset: 'observe', store: temporary.store });
  await setAccount(one, { preset: 'xhigh' });
  await until(() => Promise.resolve(two.gateway.preset() !== 'observe'));
  expect(two.gateway.preset()).toBe('xhigh');
});
