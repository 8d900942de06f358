import { getEventListeners } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readHost } from '@quartermaster/agent/services';
import type { CodeExecutorOptions } from '@quartermaster/agent/services';
import { createCodeExecutor } from '@quartermaster/agent/services';
import type { CodeRun } from '@quartermaster/agent/services';

const run = (
  language: CodeRun['language'],
  code: string,
  { signal, ...options }: Partial<CodeExecutorOptions> & { signal?: AbortSignal } = {},
) =>
  createCodeExecutor({ host: readHost(), ...options }).run({
    language,
    source: { code },
    arguments: ['first', 'second one'],
    ...(signal !== undefined && { signal }),
  });

/** Whether a process has ended; one that nobody has waited for yet has. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

test.each<[CodeRun['language'], string]>([
  ['javascript', 'console.log(process.argv.slice(2).join("|")); console.error("oops"); process.exit(3)'],
  ['python', 'import sys\nprint("|".join(sys.argv[1:]))\nprint("oops", file=sys.stderr)\nsys.exit(3)'],
  ['shell', 'echo "$1|$2"; echo oops >&2; exit 3'],
])('%s runs with its arguments; a program that fails is a result', async (language, code) => {
  expect(await run(language, code)).toEqual({
    end: 'exited',
    exitCode: 3,
    stdout: 'first|second one\n',
    stderr: 'oops\n',
  });
});

test('a program runs in an empty folder of its own, which is gone afterwards, or in the one it is given', async () => {
  const { stdout } = await run('shell', 'pwd; ls -A; touch left-behind; echo "$HOME"');
  const [folder = '', home] = stdout.trim().split('\n');
  expect(home).toBe(folder);
  expect(path.basename(folder)).toMatch(/^quartermaster-code-/);
  expect(existsSync(folder)).toBe(false);
  const given = await realpath(await mkdtemp(path.join(tmpdir(), 'quartermaster-agent-')));
  try {
    await writeFile(path.join(given, 'main.sh'), 'pwd; echo "$1"');
    const executor = createCodeExecutor({ host: readHost() });
    const source = { file: path.join(given, 'main.sh') };
    const result = await executor.run({ language: 'shell', source, arguments: ['x'], folder: given });
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, stdout: `${given}\nx\n` });
    await writeFile(source.file, 'echo "$# $HOME $TMPDIR"; cat');
    const bare = await executor.run({ language: 'shell', source, folder: given });
    expect(bare.stdout).toMatch(/^0 (\S*quartermaster-code-\S+) \1\n$/);
  } finally {
    await rm(given, { recursive: true });
  }
});

describe('limits', () => {
  test('time: the program is killed with everything that it started', async () => {
    const code = 'sleep 60 & echo $!; sleep 60';
    const result = await run('shell', code, { timeoutMs: 300 });
    expect(result).toMatchObject({ end: 'stopped-for-time' });
    expect(result).not.toHaveProperty('exitCode');
    await expect.poll(() => isGone(Number(result.stdout))).toBe(true);
  });

  test('time: a program that does not heed a request to end is killed', async () => {
    const code = "trap '' TERM INT HUP; while :; do sleep 1; done";
    expect(await run('shell', code, { timeoutMs: 300 })).toMatchObject({ end: 'stopped-for-time' });
  });

  test('killing what is gone is fine, killing what never was is not', () => {
    const { killGroup } = readHost();
    expect(() => killGroup(2 ** 22 + 1)).not.toThrow();
    expect(() => killGroup(Number.NaN)).toThrow(TypeError);
  });

  test('output: what came within the limit is kept, of both streams together, in whole characters', async () => {
    const code = 'console.error("xx"); setInterval(() => console.log("é".repeat(1_000)), 5)';
    const result = await run('javascript', code, { maxOutputBytes: 4_096 });
    expect(result).toMatchObject({ end: 'stopped-for-output' });
    expect(Buffer.byteLength(result.stdout + result.stderr)).toBeGreaterThan(4_000);
    expect(Buffer.byteLength(result.stdout + result.stderr)).toBeLessThanOrEqual(4_096);
    expect(result.stdout).not.toContain('\uFFFD');
  });

  test('the caller: a program that is cancelled is killed, and one that is cancelled before does not start', async () => {
    const cancelled = await run('shell', 'echo started; sleep 60', { signal: AbortSignal.timeout(300) });
    expect(cancelled).toMatchObject({ end: 'stopped-by-caller', stdout: 'started\n' });
    expect(await run('shell', 'echo started', { signal: AbortSignal.abort() })).toEqual({
      end: 'stopped-by-caller',
      stdout: '',
      stderr: '',
    });
  });

  test('the caller: a signal that outlives the program knows nothing of it any more', async () => {
    const { signal } = new AbortController();
    expect(await run('shell', 'true', { signal })).toMatchObject({ end: 'exited' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('output: 256 KiB are kept unless another limit is given', async () => {
    const result = await run('javascript', 'console.log("x".repeat(300 * 1024))');
    expect(result).toMatchObject({ end: 'stopped-for-output', stdout: 'x'.repeat(256 * 1024) });
  });

  test('output: what fills the limit to the byte is complete', async () => {
    expect(await run('shell', 'printf 1234', { maxOutputBytes: 4 })).toEqual({
      end: 'exited',
      exitCode: 0,
      stdout: '1234',
      stderr: '',
    });
  });

  test('a program need not read its input', async () => {
    const { end, exitCode } = await run('javascript', ' '.repeat(1_000_000), {
      interpreters: { javascript: '/bin/true' },
    });
    expect({ end, exitCode }).toEqual({ end: 'exited', exitCode: 0 });
  });

  test('what a program leaves running is killed, and does not hold up its result', async () => {
    const result = await run('shell', 'sleep 60 & echo $!');
    expect(result).toMatchObject({ end: 'exited', exitCode: 0 });
    await expect.poll(() => isGone(Number(result.stdout))).toBe(true);
  });

  test('a process that left the group and holds the output does not hold up the result', async () => {
    const code =
      'const { spawn } = require("node:child_process");' +
      'console.log(spawn("sleep", ["3"], { detached: true, stdio: "inherit" }).pid); process.exit(0)';
    const startedMs = performance.now();
    const result = await run('javascript', code);
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    expect(performance.now() - startedMs).toBeLessThan(2_500);
    process.kill(Number(result.stdout));
  });
});

describe('case 139: the environment', () => {
  const host = {
    ...readHost(),
    environment: {
      ...readHost().environment,
      ANTHROPIC_API_KEY: 'canary-1',
      GW_ADMIN: 'canary-2',
      NODE_OPTIONS: '--title=canary-3',
      REGION: 'north',
    },
  };
  const print: [CodeRun['language'], string][] = [
    ['javascript', 'console.log(JSON.stringify(process.env), process.title)'],
    ['python', 'import os; print(dict(os.environ))'],
    ['shell', 'env; cat /proc/self/environ'],
  ];

  test.each(print)(
    'case 139: %s sees no secret, with and without a declared variable',
    async (language, code) => {
      for (const environment of [[], ['REGION']]) {
        const { stdout, exitCode } = await run(language, code, { host, environment });
        expect(exitCode).toBe(0);
        expect(stdout).toContain('PATH');
        expect(stdout).not.toContain('canary');
        expect(stdout.includes('north')).toBe(environment.length > 0);
      }
    },
  );

  test('case 139: what a program needs to be found and to print right is there', async () => {
    const { PATH } = readHost().environment;
    const needed = { LANG: 'C.UTF-8', LC_ALL: 'C', LC_CTYPE: 'C', TZ: 'UTC', SYSTEMROOT: 'x', PATHEXT: '.x' };
    const { stdout } = await run('shell', 'env', { host: { ...host, environment: { PATH, ...needed } } });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(Object.entries(needed).map(([name, value]) => `${name}=${value}`)),
    );
  });

  test('case 139: declared variables that are not set are an error which names them', async () => {
    const environment = ['REGION', 'ZONE', 'AREA'];
    await expect(run('shell', 'true', { host, environment })).rejects.toMatchObject({
      code: 'SERVICE_FAILED',
      message: expect.stringContaining('missing: ZONE, AREA.'),
    });
  });
});

test('an interpreter that is not there is an error that names it', async () => {
  await expect(
    run('python', 'print(1)', { interpreters: { python: '/nowhere/python' } }),
  ).rejects.toMatchObject({
    code: 'SERVICE_FAILED',
    message: expect.stringContaining('/nowhere/python'),
    cause: { code: 'ENOENT' },
  });
});
