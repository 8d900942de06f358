import { lockWaitMs } from './connection.ts';
import type { Connection } from './connection.ts';
import { isBusy, toFailure } from './failure.ts';
import type { Durability, Reply, Request } from './messages.ts';
import { commitTogether, failed, run } from './transaction.ts';

/** Writes that share one commit: a commit at `full` costs a wait for the disk, however much is in it. */
const maxTogether = 64;

/** What a queue is made of. */
export interface QueueOptions {
  readonly connections: Readonly<Record<Durability, Connection>>;
  readonly reply: (reply: Reply) => void;
  /** Any steady clock, in ms. */
  readonly now: () => number;
}

/** The order of work in the worker thread. */
export interface Queue {
  push(request: Request): void;
  /** Calls `done` when everything pushed before has been answered. */
  finish(done: () => void): void;
}

interface Write {
  readonly request: Request;
  readonly arrivedAtMs: number;
}

/**
 * Reads run at once, since in WAL mode they wait for nobody. Writes run in order, as many in one transaction as wait
 * at that moment. A lock that another process holds is waited for in slices, with reads in between: a stalled write
 * must not make records unreadable (O3).
 */
export function createQueue({ connections, reply, now }: QueueOptions): Queue {
  const writes: Write[] = [];
  let onEmpty: (() => void) | undefined;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      workOnce();
      if (writes.length > 0) schedule();
      else onEmpty?.();
    });
  }

  function workOnce(): void {
    const durability = writes[0]?.request.durability;
    if (durability === undefined) return;
    const connection = connections[durability];
    try {
      connection.begin();
    } catch (error) {
      giveUp(connection, error);
      return;
    }
    const group = writes.slice(0, maxTogether).map(({ request }) => request);
    const end = group.findIndex((request) => request.durability !== durability);
    const together = end === -1 ? group : group.slice(0, end);
    writes.splice(0, together.length);
    commitTogether(connection, together).forEach(reply);
  }

  /** Fails what has waited for the lock long enough; without a lock in the way, everything. */
  function giveUp(connection: Connection, error: unknown): void {
    const failure = toFailure(error, connection.file);
    while (writes[0] && (!isBusy(error) || now() - writes[0].arrivedAtMs >= lockWaitMs)) {
      reply(failed(writes[0].request.id, failure));
      writes.shift();
    }
  }

  function read(request: Request): void {
    const connection = connections[request.durability];
    try {
      reply(run(connection, request));
    } catch (error) {
      reply(failed(request.id, toFailure(error, connection.file)));
    }
  }

  return {
    push(request) {
      if (isRead(request)) {
        read(request);
        return;
      }
      writes.push({ request, arrivedAtMs: now() });
      schedule();
    },
    finish(done) {
      onEmpty = done;
      schedule();
    },
  };
}

function isRead({ statements }: Request): boolean {
  return statements.every(({ text }) => /^\s*select\b/i.test(text));
}
