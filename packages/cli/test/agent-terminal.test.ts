import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './qm-process.ts';
import type { Folder } from './qm-process.ts';

const program = new URL('../bin/qm.js', import.meta.url).pathname;
const interrupt = '\u0003';

/** `qm agent` in a terminal of its own, made by script(1). */
interface Terminal {
  /** Resolves with all that was on the screen by then. */
  sees(words: string): Promise<string>;
  type(keys: string): void;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly screen: string }>;
}

function openTerminal({ path: folder }: Folder): Terminal {
  const command = `"${process.execPath}" --conditions=quartermaster-source "${program}" agent agent.yaml "$(cat prompt.txt)" --simulate`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  return {
    async sees(words) {
      while (!screen.includes(words))
        await once(child.stdout, 'data', { signal: AbortSignal.timeout(15_000) });
      return screen;
    },
    type: (keys) => void child.stdin.write(keys),
    ended: once(child, 'close').then(([exitCode]) => ({ exitCode, screen })),
  };
}

async function makeAgent(): Promise<Folder> {
  const folder = await makeFolder();
  const agents = 'agents: [{name: main, instruction: Help., toolsets: [filesystem]}]';
  await writeFile(path.join(folder.path, 'agent.yaml'), agents);
  const writing = ['a', 'b'].map((name) => ({ tool: 'write_file', input: { path: name, text: 'x' } }));
  const steps = [{ tools: writing }, { text: 'I go on.' }];
  await writeFile(path.join(folder.path, 'prompt.txt'), `@@${JSON.stringify(steps)}@@`);
  return folder;
}

test('a person is asked one question at a time, and nothing is written into its line', async () => {
  await using folder = await makeAgent();
  const terminal = openTerminal(folder);
  await terminal.sees('Allow it? [y/N] ');
  terminal.type('y\r');
  await terminal.sees('/b (no rule covers it)');
  terminal.type('n\r');
  const { exitCode, screen } = await terminal.ended;
  expect(screen.indexOf('write_file: completed')).toBeGreaterThan(screen.lastIndexOf('Allow it?'));
  expect(screen).toContain('denied This call was not allowed: The user said no.');
  expect(exitCode).toBe(0);
});

test('L8: Ctrl-C at a question cancels the turn', async () => {
  await using folder = await makeAgent();
  const terminal = openTerminal(folder);
  await terminal.sees('Allow it? [y/N] ');
  terminal.type(interrupt);
  const { exitCode, screen } = await terminal.ended;
  expect(screen).toContain('the turn was cancelled');
  expect(screen).not.toContain('I go on.');
  expect(screen.split('Allow it?')).toHaveLength(2);
  expect(exitCode).toBe(1);
});
