import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the newsroom works as its README says: two sub-agents research and check, and the editor writes', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-example-'));
  await cp(path.join(root, 'examples/newsroom'), folder, { recursive: true });
  const words = ['packages/cli/bin/qm.js', 'agent', 'agent.yaml', '--simulate', '--trust'];
  const [program, ...rest] = words;
  const child = spawn(
    process.execPath,
    ['--conditions=quartermaster-source', path.join(root, String(program)), ...rest],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
  );
  child.stdin.end(await readFile(path.join(folder, 'prompt.txt')));
  const [[exitCode], stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stderr),
    text(child.stdout),
  ]);
  expect(stderr).toContain('[researcher] search_files: completed notes/tea.md:2');
  expect(stderr).toContain('[editor] hand_off_to_checker: completed Yes: the notes say so.');
  expect(await readFile(path.join(folder, 'piece.md'), 'utf8')).toContain('1657');
  expect(exitCode).toBe(0);
  await rm(folder, { recursive: true });
});
