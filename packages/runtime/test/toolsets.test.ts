import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createToolRegistry } from '@quartermaster/agent';
import type { Tool } from '@quartermaster/agent';
import { callTool } from '@quartermaster/agent/engine';
import type { ToolOutcome } from '@quartermaster/agent/engine';
import { readHost } from '@quartermaster/agent/services';
import { createPublicFetch, createToolsetRegistrar } from '@quartermaster/runtime/toolsets';
import type { OwnToolset } from '@quartermaster/runtime/toolsets';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let workspace: string;

beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'quartermaster-toolsets-'));
});

afterEach(() => rm(workspace, { recursive: true }));

/** The tools of one toolset, called with every right. */
async function open(config: OwnToolset['config'], fetch = globalThis.fetch) {
  const registry = createToolRegistry();
  const surroundings = { workspace, base: workspace, host: readHost(), fetch, warn: () => undefined };
  const { tools } = await createToolsetRegistrar(registry, surroundings)({ name: 'set', config });
  const call = (name: string, input: object, signal = new AbortController().signal): Promise<ToolOutcome> =>
    callTool(
      tools.find((tool) => tool.name === name),
      { callId: 'c1', session: { app: 'a', user: 'u', session: 's' }, signal, input },
      { registry, gate: () => Promise.resolve({ type: 'allow' }), services: {} },
    );
  const text = async (name: string, input: object): Promise<string> => {
    const outcome = await call(name, input);
    if (outcome.type === 'completed') return String(outcome.output);
    return `${outcome.type}: ${outcome.type === 'failed' ? String(outcome.error) : outcome.reason}`;
  };
  return { tools, call, text };
}

const filesystem = (
  more: Partial<Extract<OwnToolset['config'], { type: 'filesystem' }>> = {},
): OwnToolset['config'] => ({
  type: 'filesystem',
  root: '.',
  readOnly: false,
  ...more,
});

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ name }) => name);
}

describe('files', () => {
  test('RT1: what was written is read, with the number of each line', async () => {
    const { text } = await open(filesystem());
    expect(await text('write_file', { path: 'notes/a.txt', text: 'one\ntwo\nthree' })).toBe(
      'Wrote notes/a.txt.',
    );
    expect(await text('read_file', { path: 'notes/a.txt', from: 2, count: 1 })).toBe(
      '2\ttwo\n[1 more lines]',
    );
    expect(await text('list_folder', { path: '.' })).toBe('notes/');
  });

  test('RT1: an edit takes the one text that it means, or all of them', async () => {
    const { text } = await open(filesystem());
    await writeFile(path.join(workspace, 'a.txt'), 'x $& x');
    expect(await text('edit_file', { path: 'a.txt', find: 'x', replacement: 'y' })).toContain('2 times');
    await text('edit_file', { path: 'a.txt', find: 'x', replacement: "$'", all: true });
    expect(await readFile(path.join(workspace, 'a.txt'), 'utf8')).toBe("$' $& $'");
    expect(await text('edit_file', { path: 'a.txt', find: 'gone', replacement: '' })).toContain('not there');
  });

  test('an edit keeps the mode of the file', async () => {
    const { text } = await open(filesystem());
    const file = path.join(workspace, 'run.sh');
    await writeFile(file, 'echo 1', { mode: 0o755 });
    await text('edit_file', { path: 'run.sh', find: '1', replacement: '2' });
    expect((await stat(file)).mode & 0o777).toBe(0o755);
  });

  test('RT1: files are found by path and by their lines', async () => {
    const { text } = await open(filesystem());
    await mkdir(path.join(workspace, 'src/node_modules'), { recursive: true });
    await writeFile(path.join(workspace, 'src/a.ts'), 'const one = 1;\nconst two = 2;');
    await writeFile(path.join(workspace, 'src/b.md'), 'one');
    await writeFile(path.join(workspace, 'src/node_modules/c.ts'), 'one');
    expect(await text('find_files', { path: '.', glob: '**/*.ts' })).toBe('src/a.ts');
    expect(await text('search_files', { path: '.', expression: '\\bone\\b' })).toBe(
      'src/a.ts:1: const one = 1;\nsrc/b.md:1: one',
    );
    expect(await text('search_files', { path: '.', expression: 'one|two', limit: 1 })).toContain(
      '[cut at 1 lines]',
    );
    expect(await text('search_files', { path: 'src', expression: '(' })).toContain('RE2');
  });

  test('a search passes over files of keys', async () => {
    const { text } = await open(filesystem());
    await writeFile(path.join(workspace, '.env.local'), 'TOKEN=sesame');
    expect(await text('search_files', { path: '.', expression: 'TOKEN' })).toBe('No line matches.');
  });

  test('an expression that would take for ever elsewhere takes no time', async () => {
    const { text } = await open(filesystem());
    await writeFile(path.join(workspace, 'a.txt'), 'a'.repeat(30_000));
    expect(await text('search_files', { path: '.', expression: '(a+)+$b' })).toBe('No line matches.');
  });

  test.each(['../outside.txt', '/etc/hostname', 'link/secret', 'a/../../outside.txt', '~/secret'])(
    'RT1: %s is out of reach, whatever it is spelt like',
    async (written) => {
      const outside = await mkdtemp(path.join(tmpdir(), 'quartermaster-outside-'));
      await writeFile(path.join(outside, 'secret'), 'sesame');
      await symlink(outside, path.join(workspace, 'link'));
      const { text } = await open(filesystem());
      for (const tool of ['read_file', 'list_folder']) {
        expect(await text(tool, { path: written })).toMatch(/leads out of it|without ~/);
      }
      expect(await text('write_file', { path: written, text: 'x' })).toMatch(/leads out of it|without ~/);
      await rm(outside, { recursive: true });
    },
  );

  test('a root below the workspace is as far as it goes', async () => {
    await mkdir(path.join(workspace, 'notes'));
    await writeFile(path.join(workspace, 'above.txt'), 'above');
    const { text } = await open(filesystem({ root: 'notes' }));
    expect(await text('read_file', { path: 'above.txt' })).toContain('in the folder notes');
    expect(await text('write_file', { path: 'notes/b.txt', text: 'b' })).toBe('Wrote notes/b.txt.');
  });

  test('read-only has no tool that writes', async () => {
    const { tools } = await open(filesystem({ readOnly: true }));
    expect(namesOf(tools)).toEqual(['read_file', 'list_folder', 'find_files', 'search_files']);
  });

  test('what is no text, or is too large, is told instead of read', async () => {
    const { text } = await open(filesystem());
    await writeFile(path.join(workspace, 'zero'), Buffer.from([65, 0, 66]));
    await writeFile(path.join(workspace, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1, 65));
    expect(await text('read_file', { path: 'zero' })).toContain('other bytes');
    expect(await text('read_file', { path: 'large' })).toContain('at most 4194304 bytes');
  });
});

test('only the tools that were asked for are issued, and one that is none is told', async () => {
  const { tools } = await open({ ...filesystem(), tools: ['read_file'] });
  expect(namesOf(tools)).toEqual(['read_file']);
  await expect(open({ ...filesystem(), tools: ['read_fil'] })).rejects.toThrow(
    'toolset set: expected tools that it has',
  );
});

test('T3: two toolsets of one type are one tool with two ways to run', async () => {
  await mkdir(path.join(workspace, 'inner'));
  await writeFile(path.join(workspace, 'a.txt'), 'outer');
  const registry = createToolRegistry();
  const surroundings = { workspace, base: workspace, host: readHost(), fetch, warn: () => undefined };
  const register = createToolsetRegistrar(registry, surroundings);
  const config = { ...filesystem({ readOnly: true }), tools: ['read_file'] };
  const [wide] = (await register({ name: 'wide', config })).tools;
  const inner = { ...config, root: 'inner' } as OwnToolset['config'];
  const [narrow] = (await register({ name: 'narrow', config: inner })).tools;
  expect(registry.resolve(narrow)).toBe(registry.resolve(wide));
  const read = (tool: Tool | undefined) =>
    callTool(
      tool,
      {
        callId: 'c1',
        session: { app: 'a', user: 'u', session: 's' },
        signal: new AbortController().signal,
        input: { path: 'a.txt' },
      },
      { registry, gate: () => Promise.resolve({ type: 'allow' }), services: {} },
    );
  expect(await read(wide)).toMatchObject({ type: 'completed', output: '1\touter' });
  expect(await read(narrow)).toMatchObject({ type: 'failed' });
});

describe('commands', () => {
  test('RT1: a command runs in the workspace, and says how it ended', async () => {
    const { text } = await open({ type: 'shell' });
    expect(await text('run_command', { command: 'pwd; echo oops >&2; exit 3' })).toBe(
      `${workspace}\n\nstandard error:\noops\n\nExit code 3.`,
    );
  });

  test('RT4: no credential of this process reaches a command', async () => {
    process.env['QM_TEST_TOKEN'] = 'sesame';
    const { text } = await open({ type: 'shell' });
    expect(await text('run_command', { command: 'env' })).not.toContain('sesame');
    delete process.env['QM_TEST_TOKEN'];
  });

  test('L8: a cancel ends a command and all that it started', async () => {
    const { call } = await open({ type: 'shell' });
    const controller = new AbortController();
    const running = call('run_command', { command: 'echo $$ > pid; sleep 600 & wait' }, controller.signal);
    await expect.poll(() => readFile(path.join(workspace, 'pid'), 'utf8').catch(() => '')).toMatch(/\d+\n/);
    controller.abort();
    expect(await running).toMatchObject({ output: expect.stringContaining('cancelled') });
  });
});

describe('pages', () => {
  test.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://[::1]',
    'http://0x7f000001',
    'http://2130706433',
  ])('RT1: %s is not fetched, since it is this machine', async (origin) => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('inside');
    }).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { fetch, close } = createPublicFetch();
    const { text } = await open({ type: 'fetch' }, fetch);
    expect(await text('fetch_page', { url: `${origin}:${port}/` })).toContain('none came');
    expect(asked).toBe(0);
    await close();
    server.close();
  });
});
