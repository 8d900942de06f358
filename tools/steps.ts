import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** One tool over a whole tree: `command` is a program of its node_modules/.bin, run at its root. */
export interface Step {
  readonly name: 'format' | 'lint' | 'layers' | 'types' | 'dead code';
  readonly command: string;
  readonly flags: readonly string[];
  /** Files and folders to look at, relative to the root; those that are not there are left out. */
  readonly targets: readonly string[];
}

/** What a step said and how long it took. */
export interface StepResult {
  readonly step: Step;
  readonly isPassed: boolean;
  /** Standard output and error, as they came. */
  readonly output: string;
  readonly elapsedMs: number;
}

/** Every tool that reads the tree without running it. */
export const steps: readonly Step[] = [
  { name: 'format', command: 'oxfmt', flags: ['--check'], targets: ['.'] },
  { name: 'lint', command: 'oxlint', flags: ['--format=unix'], targets: ['.'] },
  {
    name: 'layers',
    command: 'depcruise',
    flags: [],
    targets: ['packages', 'test', 'tools', 'bench', 'vitest.config.ts'],
  },
  { name: 'types', command: 'tsc', flags: ['-b', '--pretty', 'false'], targets: [] },
  { name: 'dead code', command: 'knip', flags: ['--no-progress', '--no-config-hints'], targets: [] },
];

/** All of them side by side; results in the order of `steps`. */
export function runSteps(root: string): Promise<readonly StepResult[]> {
  return Promise.all(steps.map((step) => runStep(step, root)));
}

/** Never rejects: a tool that can't be started has failed, and its output says why. */
function runStep(step: Step, root: string): Promise<StepResult> {
  const startedMs = performance.now();
  const bin = path.join(root, 'node_modules', '.bin');
  const targets = step.targets.filter((target) => existsSync(path.join(root, target)));
  const child = spawn(path.join(bin, step.command), [...step.flags, ...targets], {
    cwd: root,
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH']}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (isPassed: boolean, reason = ''): void => {
      const output = Buffer.concat(chunks).toString() + reason;
      resolve({ step, isPassed, output, elapsedMs: performance.now() - startedMs });
    };
    child.on('error', (error) => end(false, `${step.command} did not start: ${error.message}\n`));
    child.on('close', (code) => end(code === 0));
  });
}
