import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { createBench, program } from './bench.ts';

const hostile = (mode: string, ...rest: readonly string[]) => program('hostile', mode, ...rest);
const failed = (said: string) => ({ type: 'failed', error: { message: expect.stringContaining(said) } });

describe('case 123: a server that dies', () => {
  test.each(['exit-on-call', 'close-pipe-on-call'])(
    '%s: the call fails within a second and the server comes back',
    async (mode) => {
      await using bench = createBench(hostile(mode));
      await bench.start();
      const tools = bench.toolset.tools();
      const beganMs = performance.now();
      expect(await bench.call('act')).toMatchObject(failed('Connection closed'));
      expect(performance.now() - beganMs).toBeLessThan(1_000);
      await bench.untilState('restarting');
      expect(bench.toolset.tools()).toBe(tools);
      expect(await bench.call('act')).toMatchObject(failed('is restarting'));
      bench.wakeUp();
      await bench.untilState('ready');
      expect(bench.toolset.tools()).toEqual(tools);
      expect(bench.toolset.status()).toMatchObject({ restarts: 1, lastProblem: expect.any(String) });
    },
  );

  test('RT2: restarts wait twice as long each time, and end', async () => {
    await using bench = createBench({ command: 'false', startup: 'lazy', maxRestarts: 7 });
    await bench.start();
    for (let restart = 1; restart <= 7; restart += 1) {
      await bench.until(() => bench.waits.length === restart);
      bench.wakeUp();
    }
    await bench.untilState('failed');
    expect(bench.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000]);
    expect(bench.toolset.status().lastProblem).toContain('ended with code 1 before it was ready');
  });

  test('a server that was up for a minute begins anew', async () => {
    let nowMs = 0;
    await using bench = createBench(
      { ...hostile('exit-on-call'), maxRestarts: 1 },
      { clock: { now: () => nowMs } },
    );
    await bench.start();
    for (const upMs of [60_000, 60_000, 59_999]) {
      nowMs += upMs;
      const before = bench.waits.length;
      await bench.call('act');
      await bench.until(() => bench.waits.length > before || bench.toolset.status().state === 'failed');
      bench.wakeUp();
      await bench.until(() => bench.toolset.status().state !== 'restarting');
      await bench.until(() => bench.toolset.status().state !== 'starting');
    }
    expect(bench.waits).toEqual([1_000, 1_000]);
    expect(bench.toolset.status().state).toBe('failed');
  });

  test.each([
    ['never', 'exit-on-call', 'failed', 0],
    ['on-failure', 'exit-on-call', 'restarting', 1],
    ['on-failure', 'leave-on-call', 'stopped', 0],
    ['always', 'leave-on-call', 'restarting', 1],
  ] as const)('restart %s: %s leaves it %s', async (restart, mode, state, waits) => {
    await using bench = createBench({ ...hostile(mode), restart });
    await bench.start();
    await bench.call('act');
    await bench.untilState(state);
    expect(bench.waits).toHaveLength(waits);
  });

  test('a program that is not there is not tried again, and a later start tries it anew', async () => {
    await using bench = createBench({ command: '/no/such/program' });
    await bench.start();
    expect(bench.toolset.status()).toMatchObject({ state: 'failed', restarts: 0 });
    expect(bench.warnings).toEqual([expect.stringContaining("can't be started")]);
    await bench.start();
    expect(bench.warnings).toHaveLength(2);
  });
});

describe('case 123: a server that says nothing', () => {
  test('a call ends with its time, and is cancelled on the server', async () => {
    await using bench = createBench({ ...hostile('silent'), timeoutSeconds: 0.2 });
    await bench.start();
    expect(await bench.call('act')).toMatchObject(failed('timed out'));
    expect(bench.toolset.status().state).toBe('ready');
  });

  test('a cancelled turn ends the call at once, and the server is told', async () => {
    await using bench = createBench(hostile('silent'));
    await bench.start();
    const cancel = new AbortController();
    const call = bench.call('act', {}, cancel.signal);
    await bench.until(() => bench.names().includes('arrived'));
    const beganMs = performance.now();
    cancel.abort(new Error('no longer wanted'));
    expect(await call).toMatchObject(failed('no longer wanted'));
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    await bench.until(() => bench.names().includes('cancelled'));
  });

  test('a cancelled call is cancelled in a server of the newer era', async () => {
    await using bench = createBench(program('new-era', '--new-only'));
    await bench.start();
    const cancel = new AbortController();
    const call = bench.call('slow', {}, cancel.signal);
    await bench.until(() => bench.names().includes('slow_began'));
    cancel.abort();
    expect(await call).toMatchObject({ type: 'failed' });
    await bench.until(() => bench.names().includes('slow_was_cancelled'));
  });

  test('a server that is never ready holds nothing up, and is given up in time', async () => {
    await using bench = createBench({ ...hostile('never-ready'), startupSeconds: 0.4, restart: 'never' });
    await bench.start();
    expect(bench.toolset.status()).toMatchObject({
      state: 'failed',
      lastProblem: 'It was not ready within 0.4 s.',
    });
  });

  test('a start waits no longer than for the first try, and not for a cancelled start', async () => {
    await using failing = createBench({ command: 'false' });
    await failing.start();
    expect(failing.toolset.status().state).toBe('restarting');
    await using silent = createBench(hostile('never-ready'));
    await silent.start(AbortSignal.abort());
    expect(silent.toolset.status().state).toBe('starting');
  });

  test('half an answer is no answer: the call ends with its time', async () => {
    await using bench = createBench({ ...hostile('half-line'), timeoutSeconds: 0.2 });
    await bench.start();
    expect(await bench.call('act')).toMatchObject(failed('timed out'));
  });
});

describe('case 123: a server that says what there is not', () => {
  test('null as an answer fails the call at once', async () => {
    await using bench = createBench(hostile('null'));
    await bench.start();
    expect(await bench.call('act')).toMatchObject(failed('neither a result nor an error'));
    expect(bench.toolset.status().state).toBe('ready');
  });

  test('a result of a form that there is not fails the call', async () => {
    await using bench = createBench(hostile('odd-result'));
    await bench.start();
    expect(await bench.call('act')).toMatchObject(failed('Invalid result'));
    expect(bench.toolset.status().state).toBe('ready');
  });

  test('lines that are no messages are left out, and said once', async () => {
    await using bench = createBench(hostile('garbage'));
    await bench.start();
    expect(await bench.call('act')).toMatchObject({ type: 'completed' });
    expect(bench.warnings).toEqual([expect.stringContaining('no messages')]);
  });
});

describe('the end', () => {
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('closing ends what the server had started too, also when it will not end', async () => {
    const bench = createBench(hostile('with-child'));
    await bench.start();
    const pid = Number(bench.names()[0]?.split('-')[1]);
    expect(isAlive(pid)).toBe(true);
    await bench.toolset.close();
    await bench.until(() => !isAlive(pid));
    await bench.toolset.close();
    expect(bench.toolset.status().state).toBe('stopped');
    expect(bench.warnings).toEqual([]);
  });

  test('closing ends a server that only starts, and one that waits for its restart', async () => {
    const starting = createBench({ ...hostile('never-ready'), startup: 'lazy' });
    await starting.start();
    await starting.toolset.close();
    expect(starting.toolset.status().state).toBe('stopped');
    const waiting = createBench({ command: 'false', startup: 'lazy' });
    await waiting.start();
    await waiting.untilState('restarting');
    await waiting.toolset.close();
    expect(waiting.toolset.status().state).toBe('stopped');
  });
});

test('C3: what a program says at its end is told without what its variables held', async () => {
  const env = { TOKEN: 'hunter2-secret' };
  await using bench = createBench({ ...hostile('exit-at-start'), env: ['TOKEN'], restart: 'never' }, { env });
  await bench.start();
  expect(bench.warnings.join()).toContain('can not go on with [secret]');
  expect(JSON.stringify([bench.toolset.status(), bench.warnings])).not.toContain('hunter2');
});

test('P4: nothing is started for a folder that is not trusted', async () => {
  let isTrusted = false;
  await using bench = createBench(hostile('fine'), { isProjectTrusted: () => isTrusted });
  await bench.start();
  expect(bench.toolset.status()).toMatchObject({
    state: 'failed',
    lastProblem: expect.stringContaining('not trusted'),
  });
  isTrusted = true;
  await bench.start();
  expect(bench.toolset.status().state).toBe('ready');
});
