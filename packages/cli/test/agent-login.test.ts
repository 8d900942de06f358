import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAuthorizationServer } from '../../runtime/test/mcp/authorization-server.ts';
import { createOldHandler, listen } from '../../runtime/test/mcp/http-servers.ts';
import { makeFolder, runQm, startQmUntil } from './qm-process.ts';
import type { Folder } from './qm-process.ts';

const said = 'Waiting for it to come back';

async function makeAgents(url: string): Promise<Folder> {
  const folder = await makeFolder();
  const lines = [
    'agents: [{name: main, instruction: Help., toolsets: [tickets, program]}]',
    'toolsets:',
    `  tickets: {type: mcp, url: '${url}', startup: wait}`,
    '  program: {type: mcp, command: "true", restart: never, startup: wait}',
    'permissions: {rules: [{allow: mcp.call, target: tickets/echo}]}',
  ];
  await writeFile(path.join(folder.path, 'agent.yaml'), lines.join('\n'));
  await writeFile(path.join(folder.path, 'qm.yaml'), 'store: {folder: ./store}');
  return folder;
}

function login(toolset: string, ...more: readonly string[]): readonly string[] {
  return ['agent', 'agent.yaml', '--login', toolset, ...more];
}

function turn(prompt: string, ...more: readonly string[]): readonly string[] {
  return ['agent', 'agent.yaml', prompt, '--simulate', '--trust', ...more];
}

describe('RT2: a server that asks for a login', () => {
  test('is told of with what to do; a browser comes back from it, and later turns use it', async () => {
    await using server = await listen(createAuthorizationServer().guard(createOldHandler()));
    await using folder = await makeAgents(server.url);
    const place = { folder };
    const before = await runQm(turn('Hi.', '--user', 'ann'), place);
    expect(before.stderr).toContain(
      'MCP server tickets: failed, 0 of 0 tools: It asks ann for a login: run "qm agent agent.yaml --login tickets --trust".\n',
    );

    const child = await startQmUntil(login('tickets', '--trust', '--user', 'ann'), said, place);
    await fetch(/http:\S+/.exec(child.heard)?.[0] ?? 'none');
    expect(await child.ended).toMatchObject({ exitCode: 0, stdout: 'ann is logged in to tickets.\n' });
    // A project says where its store is, and gets no tokens by that.
    const kept = await stat(path.join(folder.path, '.local/state/quartermaster/logins'));
    expect(kept.mode & 0o777).toBe(0o700);

    const calling = '@@[{"tool": "mcp__tickets__echo", "input": {"text": "in"}}]@@';
    const { stdout } = await runQm(turn(calling, '--user', 'ann', '--json'), place);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === 'tool-result').result).toMatchObject({ text: 'in' });
    expect(events.at(-1)).toMatchObject({
      type: 'mcp-status',
      servers: [
        { server: 'tickets', state: 'ready' },
        { server: 'program', state: 'stopped' },
      ],
    });
  });

  test('is not logged in to when a signal comes first', async () => {
    await using server = await listen(createAuthorizationServer().guard(createOldHandler()));
    await using folder = await makeAgents(server.url);
    const child = await startQmUntil(login('tickets', '--trust'), said, { folder });
    child.signal('SIGINT');
    const { exitCode, stderr } = await child.ended;
    expect(stderr).toContain('the login to tickets failed: stopped by a signal.');
    expect(exitCode).toBe(1);
  });
});

test.each([
  ['P4: a folder that is not trusted', login('tickets'), 2, 'expected --trust'],
  ['a toolset that there is not', login('tickts', '--trust'), 2, 'Did you mean tickets?'],
  ['a program', login('program', '--trust'), 2, '"program" is none'],
  ['a server that is not there', login('tickets', '--trust'), 1, 'failed: fetch failed: '],
])('no login for %s', async (_, words, code, reason) => {
  await using folder = await makeAgents('http://127.0.0.1:9/mcp');
  const { exitCode, stderr } = await runQm(words, { folder });
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain('    at ');
  expect(exitCode).toBe(code);
});
