import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, runQm } from './qm-process.ts';

describe('qm --help', () => {
  test('fits on a screen of 24 lines and 100 columns, and exits 0', async () => {
    await using folder = await makeFolder();
    const { exitCode, stdout, stderr } = await runQm(['--help'], { folder });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    for (const command of ['gateway', 'simulate', 'demo', 'config'])
      expect(stdout).toContain(`  ${command} `);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test('every command has --json', async () => {
    await using folder = await makeFolder();
    for (const command of ['gateway', 'simulate', 'demo', 'config']) {
      const { stdout } = await runQm([command, '--help'], { folder });
      expect(stdout).toContain('--json');
    }
  });
});

describe('exit codes', () => {
  test('--version prints the version and exits 0', async () => {
    await using folder = await makeFolder();
    expect(await runQm(['--version'], { folder })).toEqual({ exitCode: 0, stdout: '0.1.0\n', stderr: '' });
  });

  test.each([
    [['gatway'], "unknown command 'gatway'\n(Did you mean gateway?)"],
    [['gateway', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['gateway', '--port', 'x'], '--port: expected a whole number from 0 to 65535, came "x".'],
    [['gateway', '--mode', 'hosted'], '--mode: expected "local" (all there is so far), came "hosted".'],
    [['simulate', '--binding', 'maybe'], 'Allowed choices are on, off.'],
    [['config', 'extra'], 'too many arguments'],
    [[], 'Usage: qm'],
  ])('%j is wrong use: exit code 2 and the reason on stderr', async (words, reason) => {
    await using folder = await makeFolder();
    const { exitCode, stdout, stderr } = await runQm(words, { folder });
    expect(stderr).toContain(reason);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  test('case 103: a bad key in qm.yaml stops the gateway before it listens, with place and nearest key', async () => {
    await using folder = await makeFolder();
    await writeFile(path.join(folder.path, 'qm.yaml'), 'port: 0\nupstreems:\n  anthropic: http://h\n');
    const result = await runQm(['gateway', '--json'], { folder });
    const file = path.join(folder.path, 'qm.yaml');
    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${file}:2:1: unknown key upstreems. Did you mean upstreams?\n`,
    });
  });
});

describe('a configuration that can’t be read', () => {
  test('is told, and is wrong use, instead of being left out', async () => {
    await using folder = await makeFolder();
    await mkdir(path.join(folder.path, 'qm.yaml'));
    const { exitCode, stderr } = await runQm(['config'], { folder });
    expect(stderr).toMatch(/qm\.yaml: expected a file that can be read; EISDIR/);
    expect(exitCode).toBe(2);
    const named = await runQm(['config', '--config', 'nope.yaml'], { folder });
    expect(named).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nope.yaml') });
  });
});

describe('qm config', () => {
  test('--json prints each value with where it came from, and no secret (case 131)', async () => {
    await using folder = await makeFolder();
    await writeFile(path.join(folder.path, 'qm.yaml'), 'upstreams:\n  anthropic: http://u:pw-canary@h/v1\n');
    const env = { QM_ADMIN_TOKEN: 'token-canary', QM_PROT: '1' };
    const { exitCode, stdout, stderr } = await runQm(
      ['config', '--json', '--port', '5', '--config', 'qm.yaml'],
      { folder, env },
    );
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain('canary');
    const { settings, warnings } = JSON.parse(stdout);
    expect(settings['port']).toEqual({ value: 5, origin: { type: 'flag', flag: '--port' } });
    expect(settings['upstreams.anthropic']).toEqual({
      value: 'http://…@h',
      origin: { type: 'file', file: path.join(folder.path, 'qm.yaml'), line: 2, column: 14 },
    });
    expect(settings['adminToken'].origin).toEqual({ type: 'environment', variable: 'QM_ADMIN_TOKEN' });
    expect(warnings).toEqual(['QM_PROT is set, but there is no such setting; did you mean QM_PORT?']);
  });

  test('prints a table that names the files it looks for', async () => {
    await using folder = await makeFolder();
    const { stdout } = await runQm(['config'], { folder, env: { QM_ADMIN_TOKEN: 'token-canary' } });
    expect(stdout).toMatch(/^port +4000 +default$/m);
    expect(stdout).toMatch(/^adminToken +… +QM_ADMIN_TOKEN$/m);
    expect(stdout).toContain(path.join(folder.path, '.config', 'quartermaster', 'qm.yaml'));
  });
});
