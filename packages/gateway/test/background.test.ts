import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBackground } from '../src/ledger/background.ts';

const roomy = { maxWaiting: 4_096, maxWaitingBytes: 1_024 };

describe('FA5: work behind the requests', () => {
  test('is done in the order it came, whatever fails in between', async () => {
    const done: number[] = [];
    const errors: unknown[] = [];
    const background = createBackground({ ...roomy, onDrop: (error) => errors.push(error) });
    const fault = new Error('a fault');
    for (const piece of [1, 2, 3]) {
      background.push(async () => {
        if (piece === 2) throw fault;
        await setImmediate();
        done.push(piece);
      });
    }
    await background.idle();
    expect(done).toEqual([1, 3]);
    expect(errors).toEqual([fault]);
  });

  test('FA5: is not taken while too many pieces, or too many bytes, wait', async () => {
    let drops = 0;
    const done: string[] = [];
    const background = createBackground({ maxWaiting: 3, maxWaitingBytes: 10, onDrop: () => (drops += 1) });
    const push = (name: string, bytes: number): void =>
      background.push(async () => void done.push(name), bytes);
    push('fits', 6);
    push('too large beside it', 5);
    push('second', 4);
    push('third', 0);
    push('one too many', 0);
    expect(drops).toBe(2);
    await background.idle();
    push('fits again', 10);
    await background.idle();
    expect(done).toEqual(['fits', 'second', 'third', 'fits again']);
  });

  test('keeps up with more than one piece for each turn of the event loop', async () => {
    let drops = 0;
    let waiting = 0;
    let most = 0;
    const background = createBackground({ ...roomy, onDrop: () => (drops += 1) });
    for (let turn = 0; turn < 500; turn += 1) {
      for (let piece = 0; piece < 16; piece += 1) {
        waiting += 1;
        background.push(async () => void (waiting -= 1));
      }
      most = Math.max(most, waiting);
      await setImmediate();
    }
    expect(most).toBeLessThan(200);
    expect(drops).toBe(0);
    await background.idle();
    expect(waiting).toBe(0);
  });

  test('waits for what was pushed before, and for nothing that comes after', async () => {
    const background = createBackground({ ...roomy, onDrop: () => undefined });
    const never = Promise.withResolvers<void>();
    let isDone = false;
    background.push(async () => void (isDone = true));
    const idle = background.idle();
    background.push(() => never.promise);
    await idle;
    expect(isDone).toBe(true);
    never.resolve();
  });
});
