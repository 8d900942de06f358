import { randomUUID } from 'node:crypto';
import type { Model, TokenCounts } from '@quartermaster/catalog';
import { type Arm, type ArmOptions, openArm } from './arm-gateway.ts';
import { addTokens, converse, type Outcome } from './converse.ts';
import type { Task } from './task.ts';

/** What one arm came to over all tasks. */
export interface ArmResult {
  readonly tasks: number;
  readonly right: number;
  /** Tasks that ended without an answer, by what stopped them. */
  readonly failures: Readonly<Record<string, number>>;
  /** Tasks whose thread had tools deferred: all of them in one arm, none in the other. */
  readonly deferredTasks: number;
  readonly turns: number;
  readonly tokens: TokenCounts;
  readonly usd: number;
}

/** Both arms of one run. */
export type Comparison = Readonly<Record<Arm, ArmResult>>;

/** What a comparison needs. */
export interface CompareOptions extends Omit<ArmOptions, 'isChecked' | 'model'> {
  readonly tasks: readonly Task[];
  readonly model: Model;
  readonly headers: Readonly<Record<string, string>>;
  readonly onTask?: (done: number) => void;
}

/** The upstream does not support deferral, or the check gave no verdict: there is nothing to compare. */
export class NotComparableError extends Error {
  override readonly name = 'NotComparableError';
}

const checkWithinMs = 60_000;
const pollMs = 100;

/**
 * Does each task once in each arm, one after the other. Each gets a gateway and an account of its own, so that a tool
 * which one task used is still one that nobody uses in the next. Rejects with `NotComparableError`.
 */
export async function compare(options: CompareOptions): Promise<Comparison> {
  await requireDeferral(options);
  const outcomes: Record<Arm, Done[]> = { deferred: [], undeferred: [] };
  for (const [index, task] of options.tasks.entries()) {
    // The arm that goes first takes turns, so that neither finds the warmer cache.
    const order: readonly Arm[] = index % 2 === 0 ? ['deferred', 'undeferred'] : ['undeferred', 'deferred'];
    for (const arm of order) outcomes[arm].push(await doTask(arm, task, options));
    options.onTask?.(index + 1);
  }
  return { deferred: sum(outcomes.deferred), undeferred: sum(outcomes.undeferred) };
}

interface Done extends Outcome {
  readonly isDeferred: boolean;
}

async function doTask(arm: Arm, task: Task, options: CompareOptions): Promise<Done> {
  await using gateway = await openArm(arm, { ...options, model: options.model.id, isChecked: true });
  const { model, headers } = options;
  const outcome = await converse(task, { url: gateway.url, headers, model, session: randomUUID() });
  return { ...outcome, isDeferred: (await gateway.deferredUnits()) > 0 };
}

/** One small request starts the gateway's own check; its verdict is waited for. */
async function requireDeferral(options: CompareOptions): Promise<void> {
  await using gateway = await openArm('deferred', { ...options, model: options.model.id, isChecked: false });
  const line = { url: gateway.url, headers: options.headers, model: options.model, session: randomUUID() };
  const { failure } = await converse({ prompt: 'Say ANSWER: yes', answer: 'yes', way: [] }, line);
  if (failure !== undefined)
    throw new NotComparableError(`expected an answer to a first request; ${failure}.`);
  const giveUpAtMs = Date.now() + checkWithinMs;
  for (;;) {
    const verdict = await gateway.verdict();
    if (verdict === 'pass') return;
    if (verdict === 'fail') {
      throw new NotComparableError(
        `${options.upstream.host} does not support tool deferral for ${options.model.id}.`,
      );
    }
    if (Date.now() > giveUpAtMs) {
      throw new NotComparableError(`the check of ${options.upstream.host} gave no verdict within a minute.`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function sum(outcomes: readonly Done[]): ArmResult {
  const failures: Record<string, number> = {};
  for (const { failure } of outcomes) {
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  }
  return {
    tasks: outcomes.length,
    right: outcomes.filter(({ isRight }) => isRight).length,
    failures,
    deferredTasks: outcomes.filter(({ isDeferred }) => isDeferred).length,
    turns: outcomes.reduce((total, { turns }) => total + turns, 0),
    tokens: outcomes.map(({ tokens }) => tokens).reduce(addTokens),
    usd: outcomes.reduce((total, { usd }) => total + usd, 0),
  };
}
