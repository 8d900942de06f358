import type { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.ts';
import { toStoreError } from './failure.ts';
import type { Answer, CloseRequest, Opening, Reply, Request } from './messages.ts';

/** Calls that may wait for the worker at one time (FA5). */
export const maxPending = 4_096;

/** A worker whose store is open. */
export interface RunningWorker {
  /** Rejects with `StoreError`: the engine's failure, or `STORE_FAILED` when the worker goes away first. */
  ask(request: Omit<Request, 'id'>): Promise<Answer>;
  hasEnded(): boolean;
  /** Lets the worker finish what was asked before, and resolves when it has ended. */
  end(): Promise<void>;
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: StoreError) => void;
}

/** Resolves when the worker has opened the store; rejects with its refusal, or when it died over it. */
export function whenOpened(worker: Worker): Promise<RunningWorker> {
  const running = connect(worker);
  return new Promise((resolve, reject) => {
    worker.once('message', (opening: Opening) => {
      if (opening.type === 'opened') resolve(running);
      else reject(toStoreError(opening.failure));
    });
    worker.once('error', (cause) => reject(workerGone(cause)));
    worker.once('exit', () => reject(workerGone(undefined)));
  });
}

function connect(worker: Worker): RunningWorker {
  const pending = new Map<number, Pending>();
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let lastId = 0;
  let isOver = false;

  function failAll(cause: unknown): void {
    isOver = true;
    for (const { reject } of pending.values()) reject(workerGone(cause));
    pending.clear();
  }

  worker.on('message', (message: Opening | Reply) => {
    if (!('id' in message)) return;
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.type === 'answer') call?.resolve(message);
    else call?.reject(toStoreError(message.failure));
  });
  worker.on('error', failAll);
  worker.on('exit', () => failAll(undefined));

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (isOver) throw workerGone(undefined);
        if (pending.size >= maxPending) throw tooManyPending();
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        worker.postMessage({ ...request, id: lastId } satisfies Request);
      }),
    hasEnded: () => isOver,
    end() {
      worker.postMessage({ type: 'close' } satisfies CloseRequest);
      return ended;
    },
  };
}

function workerGone(cause: unknown): StoreError {
  return new StoreError(
    'STORE_FAILED',
    "Expected the store's worker thread to answer; it ended. It is started again at a later call; " +
      'a write under way may or may not have been kept.',
    { cause },
  );
}

function tooManyPending(): StoreError {
  return new StoreError(
    'STORE_BUSY',
    `Expected at most ${maxPending} calls to wait for the store; another came. Try again later, and look at the disk.`,
  );
}
