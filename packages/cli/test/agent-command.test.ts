import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { makeFolder, runQm, startQmUntil } from './qm-process.ts';
import type { Folder } from './qm-process.ts';

const agents = `
agents:
  - name: writer
    instruction: Write.
    toolsets: [filesystem, shell]
permissions:
  rules:
    - {allow: filesystem.write, target: '**'}
    - {allow: shell.run, target: 'sleep *'}
`;

const elsewhere =
  "models: {own: {provider: openai, model: m, baseUrl: 'http://127.0.0.1:9', credential: HOME_KEY}}";

/** What the simulated model plays. */
function script(...steps: readonly object[]): string {
  return `Do it. @@${JSON.stringify(steps)}@@`;
}

const writing = script({ tool: 'write_file', input: { path: 'a.txt', text: 'written' } }, { text: 'Done.' });

async function makeAgents(text = agents): Promise<Folder> {
  const folder = await makeFolder();
  await writeFile(path.join(folder.path, 'agent.yaml'), text);
  return folder;
}

function read(folder: Folder, file: string): Promise<string> {
  return readFile(path.join(folder.path, file), 'utf8').catch(() => 'none');
}

describe('qm agent', () => {
  test('what the agent says is on stdout, and what it does on stderr, with how to go on', async () => {
    await using folder = await makeAgents();
    const words = ['agent', 'agent.yaml', writing, '--simulate', '--trust', '--session', 's1'];
    const { exitCode, stdout, stderr } = await runQm(words, { folder });
    expect(stdout).toBe('Done.\n');
    expect(stderr).toContain('[writer] write_file: completed Wrote a.txt.');
    expect(stderr).toContain('--session s1');
    expect(exitCode).toBe(0);
    expect(await read(folder, 'a.txt')).toBe('written');
  });

  test('--json prints each event as a line, from turn-start to turn-end', async () => {
    await using folder = await makeAgents();
    const { stdout, stderr } = await runQm(['agent', 'agent.yaml', 'Hi.', '--simulate', '--json'], {
      folder,
    });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual(['turn-start', 'text-delta', 'usage', 'turn-end']);
    expect(events.at(-1).result).toMatchObject({ status: 'completed', text: 'ok' });
    expect(stderr).toBe('');
  });

  test('a session is gone on with by another process', async () => {
    await using folder = await makeAgents();
    const go = (text: string) =>
      runQm(['agent', 'agent.yaml', text, '--simulate', '--session', 's1', '--json'], { folder });
    await go('one');
    const { stdout } = await go('two');
    const usage = stdout.split('\n').find((line) => line.includes('"usage"')) ?? '';
    const first = (await go('three')).stdout.split('\n').find((line) => line.includes('"usage"')) ?? '';
    const input = (line: string): number => {
      const { inputTokens, cacheReadTokens, cacheWriteTokens } = JSON.parse(line).usage;
      return inputTokens + cacheReadTokens + cacheWriteTokens;
    };
    expect(input(first)).toBeGreaterThan(input(usage));
  });

  test('P4: without --trust the folder’s allow rules count for nothing, and nobody is there to be asked', async () => {
    await using folder = await makeAgents();
    const { exitCode, stderr } = await runQm(['agent', 'agent.yaml', writing, '--simulate'], { folder });
    expect(stderr).toContain('[writer] write_file: denied');
    expect(exitCode).toBe(0);
    expect(await read(folder, 'a.txt')).toBe('none');
  });

  test('P3: the user’s policy denies what a trusted folder allows', async () => {
    await using folder = await makeAgents();
    const config = path.join(folder.path, '.config', 'quartermaster');
    await mkdir(config, { recursive: true });
    await writeFile(path.join(config, 'policy.yaml'), 'rules: [{deny: filesystem.write, because: not here}]');
    const { stderr } = await runQm(['agent', 'agent.yaml', writing, '--simulate', '--trust'], { folder });
    expect(stderr).toContain('policy.yaml:1, because');
    expect(await read(folder, 'a.txt')).toBe('none');
  });

  test('C4: an untrusted folder’s settings send no key anywhere', async () => {
    await using folder = await makeAgents();
    const config = path.join(folder.path, '.quartermaster');
    await mkdir(config);
    await writeFile(path.join(config, 'settings.yaml'), 'anthropicBasUrl: http://127.0.0.1:1\n');
    const go = (...more: string[]) =>
      runQm(['agent', 'agent.yaml', 'Hi.', '--simulate', ...more], { folder });
    expect((await go()).exitCode).toBe(0);
    expect((await go('--trust')).stderr).toContain('settings.yaml:1: "anthropicBasUrl" is no setting');
  });

  test('the prompt may come from standard input', async () => {
    await using folder = await makeAgents();
    const { stdout } = await runQm(['agent', 'agent.yaml', '--simulate'], { folder, input: 'Hi.' });
    expect(stdout).toBe('ok\n');
  });

  test('L8: Ctrl-C cancels the turn, and the session can be gone on with', async () => {
    await using folder = await makeAgents();
    const sleeping = script({ tool: 'run_command', input: { command: 'sleep 600' } });
    const options = ['--simulate', '--trust', '--session', 's1'];
    const child = await startQmUntil(['agent', 'agent.yaml', sleeping, ...options], 'run_command', {
      folder,
    });
    child.signal('SIGINT');
    const { exitCode, stderr } = await child.ended;
    expect(stderr).toContain('the turn was cancelled');
    expect(exitCode).toBe(1);
    const next = await runQm(['agent', 'agent.yaml', script({ text: 'Going on.' }), ...options], { folder });
    expect(next).toMatchObject({ exitCode: 0, stdout: 'Going on.\n' });
  });
});

test('qm agent --schema needs no file, and prints what editors check agent.yaml by', async () => {
  await using folder = await makeFolder();
  const { exitCode, stdout } = await runQm(['agent', '--schema'], { folder });
  expect(JSON.parse(stdout)).toMatchObject({ title: expect.stringContaining('agent.yaml'), type: 'object' });
  expect(exitCode).toBe(0);
});

describe('RS2: a store that can not be used', () => {
  const refused = async (store: string, folder: Folder) => {
    const words = ['agent', 'agent.yaml', '--simulate', '--session', 's1', '--store', store];
    const turn = await runQm(words, { folder, input: 'Hi.' });
    expect(turn).toMatchObject({ exitCode: 1, stdout: '' });
    expect(turn.stderr).not.toContain('    at ');
    expect(turn.stderr).not.toContain('To go on');
    expect((await runQm([...words, '--cache'], { folder })).stderr).toBe(turn.stderr);
    return turn.stderr;
  };

  test('that is damaged is told with its place and what to do, and left as it is', async () => {
    await using folder = await makeAgents();
    await mkdir(path.join(folder.path, 'store'));
    await writeFile(path.join(folder.path, 'store', 'quartermaster.db'), 'no database'.repeat(1_000));
    const said = await refused('store', folder);
    expect(said).toMatch(
      /store\/quartermaster\.db failed: .*move it away to begin anew\. \(STORE_UNREADABLE\)\n$/,
    );
    expect(await read(folder, 'store/quartermaster.db')).toContain('no database');
  });

  test('that a later version wrote is told', async () => {
    await using folder = await makeAgents();
    await runQm(['agent', 'agent.yaml', 'Hi.', '--simulate', '--store', 'store'], { folder });
    using database = new DatabaseSync(path.join(folder.path, 'store', 'quartermaster.db'));
    database.exec("insert into migration values ('9999-later', 1)");
    expect(await refused('store', folder)).toContain('(STORE_NEWER)');
  });

  test('whose folder is a file is told', async () => {
    await using folder = await makeAgents();
    expect(await refused('agent.yaml', folder)).toContain('(STORE_BAD_FOLDER)');
  });
});

describe('qm agent refuses', () => {
  test.each([
    ['agents: []', [], 2, 'agent.yaml:1: agents: expected at least one agent'],
    [`${agents}\ntoolset: {}`, [], 2, 'unknown key "toolset". Did you mean toolsets?'],
    [
      'agents:\n  - {name: a, instruction: x, subAgents: [b]}',
      [],
      2,
      'agent.yaml: Expected sub-agents among "a"; found a → b',
    ],
    [agents, [], 2, 'expected a model for writer'],
    [`${agents}\n${elsewhere}`, ['--model', 'own'], 2, 'expected --trust'],
    [`${agents}\n${elsewhere}`, ['--model', 'own', '--trust'], 1, 'expected a key in HOME_KEY'],
    [agents, ['--model', 'claude-opus-5-5'], 1, 'expected a key in ANTHROPIC_API_KEY; it is not set'],
    [agents, ['--simulate', '--model', 'claude-opus-55'], 1, 'has no model "claude-opus-55"'],
  ])('%j with %j: exit code %i and the reason', async (text, options, code, reason) => {
    await using folder = await makeAgents(text);
    const { exitCode, stderr } = await runQm(['agent', 'agent.yaml', 'Hi.', ...options], { folder });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('    at ');
    expect(exitCode).toBe(code);
  });

  test('a file that is not there, and a prompt that is none', async () => {
    await using folder = await makeAgents();
    expect((await runQm(['agent', 'none.yaml', 'Hi.'], { folder })).stderr).toContain(
      'found none at none.yaml',
    );
    expect((await runQm(['agent'], { folder })).stderr).toContain('expected a file of agents');
    const { exitCode, stderr } = await runQm(['agent', 'agent.yaml', '--simulate'], { folder });
    expect(stderr).toContain('expected a prompt');
    expect(exitCode).toBe(2);
  });
});

describe('RT2: an agent with an MCP server', () => {
  const server = path.join(import.meta.dirname, '../../runtime/test/fixtures/mcp-hostile.ts');
  const text = [
    'agents: [{name: main, instruction: Help., toolsets: [own]}]',
    'toolsets:',
    `  own: {type: mcp, command: ${process.execPath}, args: [${server}], startup: wait}`,
    'permissions: {rules: [{allow: mcp.call, target: own/act}]}',
  ].join('\n');
  const calling = script({ tool: 'mcp__own__act', input: { word: 'hello' } }, { text: 'Done.' });

  test('uses its tools, and ends with the turn', async () => {
    await using folder = await makeAgents(text);
    const { exitCode, stderr } = await runQm(['agent', 'agent.yaml', calling, '--simulate', '--trust'], {
      folder,
    });
    expect(stderr).toContain('[main] mcp__own__act: completed {"word":"hello"}');
    expect(exitCode).toBe(0);
  });

  test('starts nothing before the folder is trusted, and says so', async () => {
    await using folder = await makeAgents(text);
    const { exitCode, stderr } = await runQm(['agent', 'agent.yaml', 'Hi.', '--simulate'], { folder });
    expect(stderr).toContain('MCP server own: It is not started, since its folder is not trusted');
    expect(exitCode).toBe(0);
  });
});
