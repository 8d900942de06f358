import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CacheBreak } from '@quartermaster/runtime';
import { expect, test } from 'vitest';
import { formatCacheReport } from '../src/commands/agent/format-cache-report.ts';
import { makeFolder, runQm } from './qm-process.ts';

test('--cache tells after a turn, or alone, what each answer’s prompt read and wrote, and why it moved', async () => {
  await using folder = await makeFolder();
  await writeFile(path.join(folder.path, 'agent.yaml'), 'agents: [{name: main, instruction: Help.}]');
  const ask = (...more: readonly string[]) =>
    runQm(['agent', 'agent.yaml', '--session', 's1', ...more], { folder });
  await ask('one', '--simulate');
  const turn = await ask('two', '--simulate', '--model', 'claude-sonnet-5', '--cache');
  expect(turn.stdout).toBe('ok\n');
  expect(turn.stderr).toMatch(
    /^ +1 {2}main {3}claude-opus-5-5 .*\d\n +2 {2}main {3}claude-sonnet-5 .*another model\n/m,
  );

  const alone = await ask('--cache');
  expect(alone).toMatchObject({ exitCode: 0, stderr: '' });
  expect(turn.stderr).toContain(alone.stdout);
  const { stdout } = await ask('three', '--simulate', '--cache', '--json');
  const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(report).toMatchObject({ type: 'cache-report', answers: [{ breaks: [] }, {}, {}] });

  const missing = await ask('--cache', '--user', 'bob');
  expect(missing.stderr).toContain('there is no "s1"');
  expect(missing.exitCode).toBe(1);
});

test('the report shows the prompts of sub-agents below the answer that gave them work', async () => {
  await using folder = await makeFolder();
  const agents = [
    '{name: main, instruction: Help., subAgents: [helper]}',
    '{name: helper, instruction: Do it., subAgents: [below]}',
    '{name: below, instruction: Do it.}',
  ];
  await writeFile(path.join(folder.path, 'agent.yaml'), `agents: [${agents.join(', ')}]`);
  const give = (agent: string, task: string) => ({ tool: `hand_off_to_${agent}`, input: { task } });
  const inner = `##${JSON.stringify([give('below', 'go'), { text: 'both' }])}##`;
  const prompt = `@@${JSON.stringify([give('helper', inner), { text: 'all' }])}@@`;
  const { stderr } = await runQm(['agent', 'agent.yaml', prompt, '--simulate', '--cache'], { folder });
  const rows = stderr.split('\n').filter((line) => /^ +\d+ {2}/.test(line));
  expect(rows.map((row) => row.slice(8, 19).trimEnd())).toEqual([
    'main',
    '  helper',
    '    below',
    '  helper',
    'main',
  ]);
  expect(rows.filter((row) => !/^ +\d+ +\w+ +claude-opus-5-5( +\d+){3}$/.test(row))).toEqual([]);
});

test('D5: the report names the tools that moved a prefix by their reason, and those that are outdated', () => {
  const row = (breaks: readonly CacheBreak[], outdated: readonly string[] = []) => {
    const model = { provider: 'anthropic', id: 'm' };
    const tokens = { inputTokens: 7, cacheReadTokens: undefined, cacheWriteTokens: 0 };
    const place = { messageId: 'a', session: 's1', depth: 0, atMs: 0, agent: 'main' };
    const answer = { ...place, model, tokens, breaks, outdated };
    return formatCacheReport({ answers: [answer] }).split('\n')[2] ?? '';
  };
  expect(row([])).toBe('     1  main   m          7     ?        0');
  const moved = row([
    { cause: 'model' },
    { cause: 'compaction' },
    { cause: 'list', tool: 'a' },
    { cause: 'list', tool: 'b' },
  ]);
  expect(moved).toMatch(/another model; compaction; the model takes .* alone: a, b$/);
  expect(row([], ['a', 'b'])).toMatch(/ a, b$/);
});
