import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGatewayStub } from './gateway-stub.ts';
import { makeFolder, type QmResult, runQm, startQm, type Folder, type QmProcess } from './qm-process.ts';

const start = ['gateway', '--port', '0', '--log-level', 'silent'];

/** A running gateway and a simulated provider behind it. */
async function startBoth(folder: Folder, ...flags: readonly string[]) {
  const simulator = await startQm(['simulate', '--port', '0', '--tokens', 'bytes'], { folder });
  const gateway = await startQm([...start, '--anthropic-upstream', simulator.url, ...flags], { folder });
  return { simulator, gateway };
}

const ask = (folder: Folder, gateway: QmProcess, ...words: readonly string[]): Promise<QmResult> =>
  runQm([...words, '--url', gateway.url], { folder });

async function send(gateway: QmProcess, session: string): Promise<void> {
  const tool = (name: string) => ({ name, description: `Does ${name}.`, input_schema: { type: 'object' } });
  const response = await fetch(`${gateway.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': 'any',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'x-claude-code-session-id': session,
    },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 10,
      system: 'Use Read well.',
      tools: ['Bash', 'Read', 'Planner'].map(tool),
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  expect(response.status).toBe(200);
}

describe('qm preset', () => {
  test('PR1: shows the preset and the choices, sets one, and says for which conversations it holds', async () => {
    await using folder = await makeFolder();
    await using gateway = await startQm(start, { folder });
    const shown = await ask(folder, gateway, 'preset');
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^\* +observe +the same/m);
    for (const name of ['off', 'xhigh', 'ultrahigh'])
      expect(shown.stdout).toMatch(new RegExp(`^ +${name} `, 'm'));
    expect(await ask(folder, gateway, 'preset', 'xhigh')).toEqual({
      exitCode: 0,
      stdout:
        'The preset is xhigh for new conversations. Those that are running keep what was decided for them.\n',
      stderr: '',
    });
    const { stdout } = await ask(folder, gateway, 'preset', '--json');
    expect(JSON.parse(stdout)).toEqual({
      preset: 'xhigh',
      choices: ['off', 'observe', 'xhigh', 'ultrahigh'],
    });
  });

  test('PR2: what was set survives a restart and wins over qm.yaml; a flag holds over both for its run', async () => {
    await using folder = await makeFolder();
    await writeFile(path.join(folder.path, 'qm.yaml'), 'preset: "off"\ntoolfilter:\n  remove: [Alpha]\n');
    async function startedWith(...flags: readonly string[]) {
      const gateway = await startQm([...start, ...flags], { folder });
      return {
        gateway,
        async [Symbol.asyncDispose]() {
          gateway.signal('SIGTERM');
          await gateway.ended;
        },
      };
    }
    {
      await using run = await startedWith();
      expect(run.gateway.first['preset']).toBe('off');
      await ask(folder, run.gateway, 'preset', 'xhigh');
      expect((await ask(folder, run.gateway, 'remove', 'Beta', '--json')).stdout).toBe(
        '{"remove":["Alpha","Beta"]}\n',
      );
    }
    {
      await using run = await startedWith('--preset', 'ultrahigh');
      expect(run.gateway.first['preset']).toBe('ultrahigh');
      await ask(folder, run.gateway, 'remove', 'Alpha', '--undo');
    }
    {
      await using run = await startedWith();
      expect(run.gateway.first['preset']).toBe('xhigh');
      expect((await ask(folder, run.gateway, 'remove', 'Beta', '--json')).stdout).toBe(
        '{"remove":["Beta"]}\n',
      );
    }
  });

  test('O7: --now ends what was decided and says what it costs; without a preset it is wrong use', async () => {
    await using folder = await makeFolder();
    const { simulator, gateway } = await startBoth(folder, '--preset', 'xhigh');
    await using _simulator = simulator;
    await using _gateway = gateway;
    await ask(folder, gateway, 'remove', 'Planner');
    await send(gateway, 'a-session');
    const { exitCode, stdout } = await ask(folder, gateway, 'preset', 'observe', '--now');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^The preset is observe for new conversations\.\n/);
    expect(stdout).toContain('Ended the decisions of 1 running conversations.');
    expect(stdout).toMatch(
      /1 of them write their prompt to the cache anew: about \d+ tokens \(bytes \/ 4\)\./,
    );
    const alone = await ask(folder, gateway, 'preset', '--now');
    expect(alone).toMatchObject({ exitCode: 2, stdout: '' });
    expect(alone.stderr).toContain('qm preset off --now');
  });

  test.each([
    [202, {}, 'asked'],
    [404, {}, 'unavailable'],
    [500, {}, 'unavailable'],
    ['silent', {}, 'unavailable'],
    [202, { ANTHROPIC_BASE_URL: 'https://api.example/anthropic' }, 'not_routed'],
    [202, { CLAUDECODE: '1' }, 'not_routed'],
  ] as const)(
    'PR6: picking ultrahigh asks for a check: a probe route that answers %s, in %j: %s',
    async (probe, env, outcome) => {
      await using folder = await makeFolder();
      await using stub = await startGatewayStub(probe);
      const { exitCode, stdout, stderr } = await runQm(['preset', 'ultrahigh', '--url', stub.url], {
        folder,
        env,
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout.split('\n').at(-2)).toBe(`probe=${outcome}`);
      const asks = stub.requests.filter((request) => request.startsWith('POST /tool-defer/probe'));
      expect(asks).toHaveLength(outcome === 'not_routed' ? 0 : 1);
    },
  );

  test.each([
    ['on', 'asked', 1],
    ['off', 'unavailable', 0],
  ] as const)(
    'PR6, SG3: at a gateway with its signals %s the outcome is probe=%s',
    async (signals, outcome, asks) => {
      await using folder = await makeFolder();
      await using gateway = await startQm(start, { folder, env: { QM_CLIENT_SIGNALS: signals } });
      expect((await ask(folder, gateway, 'preset', 'ultrahigh')).stdout).toMatch(
        new RegExp(`^probe=${outcome}$`, 'm'),
      );
      const { stdout } = await ask(folder, gateway, 'stats', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ preset: 'ultrahigh', tool_defer: { asks } });
    },
  );

  test('PR6: a client that is pointed at this gateway by another of its names is routed', async () => {
    await using folder = await makeFolder();
    await using stub = await startGatewayStub(202);
    const env = { CLAUDECODE: '1', ANTHROPIC_BASE_URL: `http://localhost:${stub.port}/anthropic` };
    const words = ['preset', 'ultrahigh', '--json', '--url', stub.url];
    expect(JSON.parse((await runQm(words, { folder, env })).stdout)).toEqual({
      preset: 'ultrahigh',
      probe: 'asked',
    });
  });

  test.each(['off', 'observe', 'xhigh'])(
    'PR6: picking %s sends no ask and prints no outcome',
    async (name) => {
      await using folder = await makeFolder();
      await using stub = await startGatewayStub(202);
      const { stdout } = await runQm(['preset', name, '--url', stub.url], { folder });
      expect(stdout).not.toContain('probe');
      expect(stub.requests).toEqual([`PATCH /api/v1/account {"preset":"${name}"}`]);
    },
  );

  test('an unknown preset is wrong use, and changes nothing', async () => {
    await using folder = await makeFolder();
    await using gateway = await startQm(start, { folder });
    const { exitCode, stderr } = await ask(folder, gateway, 'preset', 'turbo');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('off, observe, xhigh, ultrahigh');
    expect((await ask(folder, gateway, 'preset', '--json')).stdout).toContain('"preset":"observe"');
  });
});

describe('qm keep and qm remove', () => {
  test('RU4, PR2: put a tool on the list, and --undo takes it off', async () => {
    await using folder = await makeFolder();
    await using gateway = await startQm(start, { folder });
    const lines = async (...words: readonly string[]): Promise<string> =>
      (await ask(folder, gateway, ...words)).stdout;
    expect(await lines('keep', 'mcp__crm')).toBe('mcp__crm is kept: new conversations never defer it.\n');
    expect(await lines('keep', 'Planner', '--json')).toBe('{"keep":["mcp__crm","Planner"]}\n');
    expect(await lines('keep', 'mcp__crm', '--undo')).toBe(
      'mcp__crm is no longer kept: new conversations may defer it.\n',
    );
    expect(await lines('keep', 'never-there', '--undo', '--json')).toBe('{"keep":["Planner"]}\n');
    expect(await lines('remove', 'Planner')).toBe(
      'Planner is removed: new conversations leave it out. That takes the preset xhigh or ultrahigh; it is observe now.\n',
    );
    await ask(folder, gateway, 'preset', 'xhigh');
    expect(await lines('remove', 'Planner')).toBe('Planner is removed: new conversations leave it out.\n');
  });

  test('PR3: a pattern is wrong use, in the gateway’s own words', async () => {
    await using folder = await makeFolder();
    await using gateway = await startQm(start, { folder });
    const { exitCode, stdout, stderr } = await ask(folder, gateway, 'remove', 'mcp__*');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('expected a tool\'s exact name or mcp__server, without *, got "mcp__*"');
  });

  test('without a store they say that it ends with the gateway', async () => {
    await using folder = await makeFolder();
    await writeFile(path.join(folder.path, 'file'), '');
    const store = path.join(folder.path, 'file', 'below');
    await using gateway = await startQm([...start, '--store', store], { folder });
    expect((await ask(folder, gateway, 'keep', 'Planner')).stdout).toContain('this holds until it stops');
  });
});

describe('qm threads and qm stats', () => {
  test('show the decision of a session with a reason per tool, and what was counted', async () => {
    await using folder = await makeFolder();
    const { simulator, gateway } = await startBoth(folder, '--preset', 'xhigh');
    await using _simulator = simulator;
    await using _gateway = gateway;
    for (const tool of ['Planner', 'Read']) await ask(folder, gateway, 'remove', tool);
    await send(gateway, 'a session/with %');
    const { stdout } = await ask(folder, gateway, 'threads', 'a session/with %');
    expect(stdout).toMatch(/^main: leaves tools out \(not deferred: deferral-off\), decided \d{4}-/);
    expect(stdout).toMatch(/^Planner +removed$/m);
    expect(stdout).toMatch(/^Read +not removed: named-in-system-prompt$/m);
    const json = await ask(folder, gateway, 'threads', 'a session/with %', '--json');
    expect(JSON.parse(json.stdout).threads).toMatchObject([{ agent: 'main', decision: 'remove' }]);
    const stats = await ask(folder, gateway, 'stats');
    expect(stats.stdout).toMatch(/^preset +xhigh$/m);
    expect(stats.stdout).toMatch(/^tool_remove\.tools +1$/m);
    expect(JSON.parse((await ask(folder, gateway, 'stats', '--json')).stdout)).toMatchObject({
      tool_remove: { threads: 1, tools: 1 },
    });
  });

  test('an unknown session: exit code 1, and where an id is found', async () => {
    await using folder = await makeFolder();
    await using gateway = await startQm(start, { folder });
    const { exitCode, stdout, stderr } = await ask(folder, gateway, 'threads', 'nobody');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('came "nobody"');
  });
});

describe('a gateway that is not there', () => {
  const commands = [
    ['preset'],
    ['preset', 'off'],
    ['keep', 'A'],
    ['remove', 'A'],
    ['threads', 's'],
    ['stats'],
  ];

  test.each(commands)('qm %s %s: exit code 1, and how to start one', async (...words) => {
    await using folder = await makeFolder();
    const { port, [Symbol.asyncDispose]: close } = await startGatewayStub(202);
    await close();
    // The configuration names the gateway where no --url does.
    await writeFile(path.join(folder.path, 'qm.yaml'), `host: 0.0.0.0\nport: ${port}\n`);
    const result = await runQm(
      words.filter((word) => word !== undefined),
      { folder },
    );
    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `expected a gateway at http://127.0.0.1:${port}, got no answer (ECONNREFUSED); start one with qm gateway, or name another with --url.\n`,
    });
  });

  test('another server in its place is told from one', async () => {
    await using folder = await makeFolder();
    await using simulator = await startQm(['simulate', '--port', '0', '--tokens', 'bytes'], { folder });
    const { exitCode, stderr } = await ask(folder, simulator, 'preset');
    expect(exitCode).toBe(1);
    expect(stderr).not.toContain('    at ');
  });

  test.each(['nonsense', 'ftp://127.0.0.1'])('--url %s is wrong use', async (url) => {
    await using folder = await makeFolder();
    expect(await runQm(['stats', '--url', url], { folder })).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
