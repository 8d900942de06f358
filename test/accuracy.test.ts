import { spawn } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { catalog } from '@quartermaster/catalog';
import { createSimulator, type SimulatorMode } from '@quartermaster/simulator';
import { describe, expect, test } from 'vitest';
import { type Comparison, compare, NotComparableError } from '../tools/accuracy/compare.ts';
import { formatComparison } from '../tools/accuracy/table.ts';
import type { Task } from '../tools/accuracy/task.ts';
import { makeTasks } from '../tools/accuracy/tasks.ts';
import { localTools } from '../tools/accuracy/tools.ts';
import { root } from './tree.ts';

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const model = catalog.find('claude-sonnet-5-5');
if (model === undefined) throw new Error('the catalog lacks the model of this test');

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: URL }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function simulate(mode: SimulatorMode = 'faithful') {
  const clock = { now: () => Date.now() };
  return serve(createSimulator({ catalog, clock, countTokens, binding: true, mode }).listener);
}

/** The simulated model can't think: its prompt tells it the way, and what to say in the end. */
function scripted(task: Task, answer = task.answer): Task {
  const steps = [...task.way, { text: `ANSWER: ${answer}` }];
  return { ...task, prompt: `${task.prompt} @@${JSON.stringify(steps)}@@` };
}

async function compareOn(url: URL, tasks: readonly Task[]): Promise<Comparison> {
  if (model === undefined) throw new Error('unreachable');
  return compare({ tasks, model, upstream: url, headers: { 'x-api-key': 'sk-test' }, countTokens });
}

describe('LE7: the accuracy run', () => {
  test('does the same tasks with deferral on and off, and reports success, turns and cost of each', async () => {
    await using provider = await simulate();
    const tasks = makeTasks(5, 7).map((task) => scripted(task));
    const { deferred, undeferred } = await compareOn(provider.url, tasks);
    expect(deferred).toMatchObject({ tasks: 5, right: 5, deferredTasks: 5, failures: {} });
    expect(undeferred).toMatchObject({ tasks: 5, right: 5, deferredTasks: 0, failures: {} });
    expect(deferred.turns).toBe(undeferred.turns);
    expect(deferred.tokens.cacheReadTokens).toBeLessThan(undeferred.tokens.cacheReadTokens);
    expect(deferred.usd).toBeGreaterThan(0);
    const table = formatComparison({ deferred, undeferred });
    expect(table).toContain('5 (100.0 %)');
    expect(table.split('\n')).toHaveLength(12);
  });

  test('a wrong answer is not counted as right', async () => {
    await using provider = await simulate();
    const [first, second] = makeTasks(2, 7);
    if (first === undefined || second === undefined) throw new Error('there are no tasks');
    const { deferred } = await compareOn(provider.url, [scripted(first, 'no idea'), scripted(second)]);
    expect(deferred).toMatchObject({ tasks: 2, right: 1, failures: {} });
  });

  test('refuses an upstream that does not defer', async () => {
    await using provider = await simulate('ignores-deferral');
    await expect(compareOn(provider.url, makeTasks(1, 1))).rejects.toThrow(NotComparableError);
  });

  test('refuses to start without a key, and says which', async () => {
    const { code, errors } = await run({ ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined });
    expect(code).toBe(2);
    expect(errors).toContain('ANTHROPIC_API_KEY');
  });
});

describe('LE7: its tasks', () => {
  test('are the same for the same seed, others for another, and each has one short answer', () => {
    expect(makeTasks(40, 3)).toEqual(makeTasks(40, 3));
    expect(makeTasks(40, 3)).not.toEqual(makeTasks(40, 4));
    for (const { answer } of makeTasks(200, 5)) expect(answer).toMatch(/^[\p{L}\p{N}&' -]{1,40}$/u);
  });

  test('have 25 tools with names of their own, each heavy enough to be deferred (RU5)', () => {
    const names = localTools.map(({ declaration }) => declaration.name);
    expect(new Set(names).size).toBe(25);
    for (const { declaration } of localTools)
      expect(countTokens(JSON.stringify(declaration))).toBeGreaterThan(250);
  });
});

function run(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number | null; errors: string }> {
  const script = path.join(root, 'tools/accuracy.ts');
  const child = spawn(process.execPath, ['--conditions=quartermaster-source', script, '--tasks', '1'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, errors })));
}
