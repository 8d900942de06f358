import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { formatOwner, isOwnerGone, readOwnerHost } from '@quartermaster/runtime';
import type { OwnerHost } from '@quartermaster/runtime';
import { createStage, eventsOf, keyOf, outline, script, toolOf } from './harness.ts';
import { startOtherProcess } from './other-process.ts';

const write = (ms: number) => ({ tool: 'write', input: { ms } });

describe('one turn has a session', () => {
  test('L1: a second turn of this process is refused, and the error names the one that runs', async () => {
    await using stage = await createStage();
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<string>();
    const runtime = await stage.start({
      tools: [
        toolOf('wait', () => {
          started.resolve();
          return go.promise;
        }),
      ],
    });
    const first = runtime.play(script({ tool: 'wait' }, { text: 'first' }), { turn: 'one' });
    await started.promise;
    const error: unknown = await runtime.play('second').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'SessionBusyError', code: 'RUNTIME_SESSION_BUSY', turn: 'one' });
    expect((await runtime.play('hello', { session: 'other' })).result.status).toBe('completed');
    go.resolve('gone');
    expect((await first).result.text).toBe('first');
    expect((await runtime.play('second')).result.status).toBe('completed');
    expect(await stage.sessions.messages(keyOf())).toHaveLength(6);
  });

  test('L1: a turn of another process is refused too, until it has ended', async () => {
    await using stage = await createStage();
    await using other = await startOtherProcess(stage);
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<string>();
    const runtime = await stage.start({
      tools: [
        toolOf('wait', () => {
          started.resolve();
          return go.promise;
        }),
      ],
    });
    const first = runtime.play(script({ tool: 'wait' }, { text: 'first' }), { turn: 'one' });
    await started.promise;
    other.order({ session: 'ses', turn: 'two', text: 'hello' });
    expect(await other.readEnd()).toMatch(/turn one runs in it/);
    go.resolve('gone');
    await first;
    other.order({ session: 'ses', turn: 'two', text: 'hello' });
    expect(await other.readEnd()).toBe('ended completed');
    expect(outline(await stage.sessions.messages(keyOf())).slice(-2)).toEqual([
      'user "hello"',
      'assistant "ok"',
    ]);
  });

  test('L1: the session of a process that was killed is free at once', async () => {
    await using stage = await createStage();
    await using other = await startOtherProcess(stage);
    const runtime = await stage.start();
    other.order({ session: 'ses', turn: 'two', text: script(write(60_000), { text: 'done' }) });
    for (let lines = ''; lines === '';) lines = await readFile(other.journal, 'utf8').catch(() => '');
    await expect(runtime.play('mine')).rejects.toMatchObject({ turn: 'two' });
    await other.kill();
    expect((await runtime.play('mine')).result.status).toBe('completed');
    expect(outline(await stage.sessions.messages(keyOf()))[2]).toMatch(/^tool .*:interrupted$/);
  });

  test('case 67: history is read when a turn starts, not when it is asked for', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    const events = runtime.events('second'); // asked for, and not begun
    await runtime.play('first');
    for await (const _ of events);
    expect(JSON.stringify(stage.bodies[1].messages)).toContain('first');
    expect(outline(await stage.sessions.messages(keyOf()))).toEqual([
      'user "first"',
      'assistant "ok"',
      'user "second"',
      'assistant "ok"',
    ]);
  });

  test('a turn whose session was taken over fails, and writes nothing more', async () => {
    await using stage = await createStage();
    const takeOver = () =>
      stage.store.sessions.takeTurn(
        keyOf(),
        { turn: 'thief', owner: 'x', leaseMs: 60_000 },
        { turn: 'mine' },
      );
    const runtime = await stage.start({
      tools: [toolOf('write', async () => (await takeOver(), 'written'))],
    });
    const { events, result } = await runtime.play(script({ tool: 'write' }, { text: 'done' }), {
      turn: 'mine',
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_TURN_LOST' } });
    expect(eventsOf(events, 'error')).toMatchObject([{ code: 'RUNTIME_TURN_LOST', recoverable: false }]);
    expect(stage.bodies).toHaveLength(1);
    expect((await stage.store.sessions.items(keyOf())).map(({ type }) => type)).toEqual([
      'message',
      'message',
    ]);
    await expect(runtime.play('again')).rejects.toMatchObject({ turn: 'thief' });
  });

  test('a turn that waits sees at its next renewal that its session was taken over, and stops its tools', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [
        toolOf('wait', async (_, { signal }) => {
          await stage.store.sessions.takeTurn(
            keyOf(),
            { turn: 'thief', owner: 'x', leaseMs: 60_000 },
            { turn: 'mine' },
          );
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        }),
      ],
      limits: { leaseMs: 60 },
    });
    const { result } = await runtime.play(script({ tool: 'wait' }), { turn: 'mine' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_TURN_LOST' } });
  });

  test('a turn that lasts longer than its lease keeps its session', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [toolOf('wait', () => new Promise((resolve) => setTimeout(resolve, 400)))],
      limits: { leaseMs: 150 },
    });
    const playing = runtime.play(script({ tool: 'wait' }, { text: 'done' }), { turn: 'one' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(runtime.play('two')).rejects.toMatchObject({ turn: 'one' });
    expect((await playing).result.status).toBe('completed');
  });
});

describe('who holds a session', () => {
  const host: OwnerHost = {
    host: 'a:host',
    boot: 'b1/7',
    pid: 12,
    startTimeOf: (pid) => (pid === 12 ? '500' : undefined),
  };
  const owner = formatOwner(host, 'x');

  test.each([
    ['itself', host, false],
    ['another process of the machine', { ...host, pid: 99 }, false],
    ['one on another machine', { ...host, host: 'other', startTimeOf: () => undefined }, false],
    ['one after a restart of the machine', { ...host, boot: 'b2/7', startTimeOf: () => undefined }, false],
    ['one that finds no such process', { ...host, startTimeOf: () => undefined }, true],
    ['one that finds a later process of that number', { ...host, startTimeOf: () => '900' }, true],
    ['one that can not tell when it started', { ...host, startTimeOf: () => '' }, false],
  ])('J3: to %s it is gone or not', (_, looker, isGone) => {
    expect(isOwnerGone(owner, looker)).toBe(isGone);
  });

  test('what is no owner of ours is never gone', () => {
    for (const text of ['', 'x', 'a:b:c', '%:%:%:%:%']) {
      expect(isOwnerGone(text, { ...host, startTimeOf: () => undefined })).toBe(false);
    }
  });

  test('this machine tells its own processes from those that ended', async () => {
    const here = readOwnerHost();
    expect(here.startTimeOf(process.pid)).toMatch(/^\d+$/);
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    const other = formatOwner({ ...here, pid }, 'x');
    expect(isOwnerGone(other, here)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(isOwnerGone(other, here)).toBe(true);
  });
});
