import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, runQm, startQm, type Folder } from './qm-process.ts';
import { startUpstream } from './upstream.ts';

const freePort = ['gateway', '--port', '0'];

/** A gateway before an upstream of the test, and a streamed answer that has begun. */
async function startStream(folder: Folder) {
  const upstream = await startUpstream();
  const qm = await startQm([...freePort, '--anthropic-upstream', `${upstream.url}/v1/`], { folder });
  const coming = upstream.next();
  const answer = fetch(`${qm.url}/anthropic/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 1,
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    }),
  });
  const { request, response } = await coming;
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: begun\n\n');
  return { upstream, qm, request, response, answer: await answer };
}

describe('qm gateway', () => {
  test('PR1: starts in observe, with its store in the state folder of the user, and says so in its first line', async () => {
    await using folder = await makeFolder();
    await using qm = await startQm(freePort, { folder });
    expect(qm.first).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: expect.any(Number),
      store: path.join(folder.path, '.local/state/quartermaster/quartermaster.db'),
      preset: 'observe',
    });
    expect((await fetch(`${qm.url}/healthz`)).status).toBe(200);
  });

  test('forwards to the upstream of the flag, whatever stands in variables and files', async () => {
    await using folder = await makeFolder();
    await using upstream = await startUpstream();
    await writeFile(path.join(folder.path, 'qm.yaml'), 'upstreams:\n  anthropic: http://127.0.0.1:1\n');
    const env = { QM_UPSTREAMS_ANTHROPIC: 'http://127.0.0.1:2' };
    await using qm = await startQm([...freePort, '--anthropic-upstream', `${upstream.url}/pre/v1`], {
      folder,
      env,
    });
    const coming = upstream.next();
    const answer = fetch(`${qm.url}/anthropic/v1/models?x=%2F`);
    const { request, response } = await coming;
    response.end('[]');
    expect(request.url).toBe('/pre/v1/models?x=%2F');
    expect(await (await answer).text()).toBe('[]');
  });

  test('a port in use: exit code 1 and what to do', async () => {
    await using folder = await makeFolder();
    await using qm = await startQm(freePort, { folder });
    const { port } = new URL(qm.url);
    expect(await runQm(['gateway', '--port', port], { folder })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `port ${port} on 127.0.0.1 is in use by another program; choose one with --port, or --port 0\n`,
    });
  });

  test.each(['observe', 'xhigh', 'ultrahigh'])(
    'O1: a store that can’t be opened costs one line, not the service (%s)',
    async (preset) => {
      await using folder = await makeFolder();
      await writeFile(path.join(folder.path, 'file'), '');
      const store = path.join(folder.path, 'file', 'below');
      await using qm = await startQm([...freePort, '--preset', preset, '--store', store], { folder });
      expect(qm.first['store']).toBeNull();
      expect((await fetch(`${qm.url}/healthz`)).status).toBe(200);
      qm.signal('SIGTERM');
      const { exitCode, stderr } = await qm.ended;
      const warnings = stderr.split('\n').filter((line) => line.includes('"warn"'));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(store);
      expect(warnings[0]).toMatch(/no tool is deferred/);
      expect(exitCode).toBe(0);
    },
  );

  test('off loopback without an admin token: it runs and says that the admin routes answer 401', async () => {
    await using folder = await makeFolder();
    await using open = await startQm([...freePort, '--host', '0.0.0.0'], { folder });
    open.signal('SIGTERM');
    expect((await open.ended).stderr).toContain('listening on 0.0.0.0 without QM_ADMIN_TOKEN');
    const env = { QM_ADMIN_TOKEN: 'token-canary' };
    await using closed = await startQm([...freePort, '--host', '0.0.0.0'], { folder, env });
    closed.signal('SIGTERM');
    expect((await closed.ended).stderr).not.toMatch(/QM_ADMIN_TOKEN|canary/);
  });

  test('a catalog file is read where the configuration names it, and a wrong one stops the start', async () => {
    await using folder = await makeFolder();
    const file = path.join(folder.path, 'prices.json');
    await writeFile(path.join(folder.path, 'qm.yaml'), 'catalog: prices.json\n');
    const start = () => runQm(freePort, { folder });
    expect(await start()).toMatchObject({
      exitCode: 2,
      stderr: `catalog: expected a file, found none at ${file}.\n`,
    });
    await writeFile(file, '{"models": {"claude-opus-5-5": {"prise": 1}}}');
    const { exitCode, stderr } = await start();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${file}: `);
    expect(stderr).toContain('models.claude-opus-5-5');
  });

  test('case 63: a body is asked for before it is sent', async () => {
    await using folder = await makeFolder();
    await using upstream = await startUpstream();
    await using qm = await startQm([...freePort, '--anthropic-upstream', upstream.url], { folder });
    const coming = upstream.next();
    const request = http.request(`${qm.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': '2' },
    });
    request.flushHeaders();
    await once(request, 'continue');
    const answered = once(request, 'response');
    request.end('{}');
    (await coming).response.end('ok');
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    answer.resume();
  });
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets a running stream end and then exits 0',
    async (signal) => {
      await using folder = await makeFolder();
      const { upstream, qm, response, answer } = await startStream(folder);
      await using _upstream = upstream;
      await using _qm = qm;
      qm.signal(signal);
      await qm.says('stopping');
      await expect(fetch(`${qm.url}/healthz`)).rejects.toThrow('fetch failed');
      response.end('data: ended\n\n');
      expect(await answer.text()).toBe('data: begun\n\ndata: ended\n\n');
      expect((await qm.ended).exitCode).toBe(0);
    },
  );

  test('a second SIGTERM ends it at once with exit code 1, and the stream with it', async () => {
    await using folder = await makeFolder();
    const { upstream, qm, request, answer } = await startStream(folder);
    await using _upstream = upstream;
    await using _qm = qm;
    qm.signal('SIGTERM');
    await qm.says('stopping');
    // Within 100 ms it would be the same signal, delivered twice.
    const repeat = setInterval(() => qm.signal('SIGTERM'), 20);
    const { exitCode, stderr } = await qm.ended;
    clearInterval(repeat);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('stopped at once') });
    await expect(answer.text()).rejects.toThrow('terminated');
    if (!request.socket.destroyed) await once(request.socket, 'close');
  });
});
