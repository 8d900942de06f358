import { lockWaitMs } from './connection.ts';
import type { Connection } from './connection.ts';
import { isBusy, toFailure } from './failure.ts';
import type { Durability, Reply, Request } from './messages.ts';

/** Writes that share one commit: a commit at `full` costs a wait for the disk, however much is in it. */
const maxGroup = 64;

/** What a queue is made of. */
export interface QueueOptions {
  readonly file: string;
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
export function createQueue({ file, connections, reply, now }: QueueOptions): Queue {
  const writes: Write[] = [];
  let onEmpty: (() => void) | undefined;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(work);
  }

  function work(): void {
    isScheduled = false;
    workOnce();
    if (writes.length > 0) schedule();
    else onEmpty?.();
  }

  function workOnce(): void {
    const durability = writes[0]?.request.durability;
    if (durability === undefined) return;
    const connection = connections[durability];
    try {
      connection.begin();
    } catch (error) {
      const isOver = ({ arrivedAtMs }: Write): boolean => !isBusy(error) || now() - arrivedAtMs >= lockWaitMs;
      fail(takeWhile(writes, isOver), error);
      return;
    }
    const group = takeWhile(
      writes,
      ({ request }, index) => request.durability === durability && index < maxGroup,
    );
    try {
      commitTogether(connection, group).forEach(reply);
    } catch (error) {
      if (connection.database.isTransaction) connection.database.exec('rollback');
      fail(group, error);
    }
  }

  function commitTogether(connection: Connection, group: readonly Write[]): readonly Reply[] {
    const replies = group.map(({ request }) => runAlone(connection, request));
    connection.database.exec('commit');
    return replies;
  }

  /** One request's failure is undone by itself; a failure that ended the whole transaction is thrown on. */
  function runAlone(connection: Connection, request: Request): Reply {
    connection.database.exec('savepoint request');
    try {
      const answer = run(connection, request);
      connection.database.exec('release request');
      return answer;
    } catch (error) {
      if (!connection.database.isTransaction) throw error;
      connection.database.exec('rollback to request; release request');
      return { type: 'failure', id: request.id, failure: toFailure(error, file) };
    }
  }

  function read(request: Request): void {
    try {
      reply(run(connections[request.durability], request));
    } catch (error) {
      reply({ type: 'failure', id: request.id, failure: toFailure(error, file) });
    }
  }

  function fail(group: readonly Write[], error: unknown): void {
    const failure = toFailure(error, file);
    for (const { request } of group) reply({ type: 'failure', id: request.id, failure });
  }

  return {
    push(request) {
      if (isRead(request)) {
        read(request);
      } else {
        writes.push({ request, arrivedAtMs: now() });
        schedule();
      }
    },
    finish(done) {
      onEmpty = done;
      schedule();
    },
  };
}

function run(connection: Connection, { id, answer, statements }: Request): Reply {
  if (answer === 'rows') return { type: 'rows', id, rows: statements.flatMap((one) => connection.rows(one)) };
  return { type: 'changes', id, changes: statements.reduce((sum, one) => sum + connection.changes(one), 0) };
}

function isRead({ statements }: Request): boolean {
  return statements.every(({ text }) => /^\s*select\b/i.test(text));
}

/** Takes the first items for which `test` holds out of `items`. */
function takeWhile<Item>(items: Item[], test: (item: Item, index: number) => boolean): readonly Item[] {
  const end = items.findIndex((item, index) => !test(item, index));
  return items.splice(0, end === -1 ? items.length : end);
}
