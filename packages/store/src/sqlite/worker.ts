import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { openConnection, openReadConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { toFailure } from './failure.ts';
import { createFile } from './file.ts';
import type { CloseRequest, Durability, Opening, Reply, Request, WorkerData } from './messages.ts';
import { migrate, refuseOlder, refuseUnknown } from './migrations.ts';
import { createQueue } from './queue.ts';
import { sqliteMigrations } from './schema.ts';

type Connections = Readonly<Record<Durability, Connection>>;

/** The thread that owns both connections. A lock or a slow disk holds up this thread, never the streams of the main one. */
function main(port: MessagePort, data: WorkerData): void {
  const answer = (message: Opening | Reply): void => port.postMessage(message);
  try {
    serve(port, openBoth(data), answer);
    answer({ type: 'opened' });
  } catch (error) {
    answer({ type: 'refused', failure: toFailure(error, data.file) });
    port.close();
  }
}

function openBoth({ file, access }: WorkerData): Connections {
  if (access === 'read') {
    const connection = openReadConnection(file);
    check(connection, refuseUnknown, refuseOlder);
    return { normal: connection, full: connection };
  }
  createFile(file);
  const look = openReadConnection(file); // before the first change: what is refused stays as it is
  check(look, refuseUnknown);
  look.close();
  const normal = openConnection(file, 'normal');
  check(normal, migrate);
  return { normal, full: openConnection(file, 'full') };
}

/** Closes the connection when one of the checks throws. */
function check(connection: Connection, ...checks: readonly (typeof migrate)[]): void {
  try {
    for (const one of checks) one(connection.database, sqliteMigrations);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function serve(port: MessagePort, connections: Connections, reply: (reply: Reply) => void): void {
  const queue = createQueue({ connections, reply, now: () => performance.now() });
  port.on('message', (message: Request | CloseRequest) => {
    if ('id' in message) {
      queue.push(message);
      return;
    }
    queue.finish(() => {
      connections.full.close();
      connections.normal.close();
      port.close();
    });
  });
}

if (parentPort === null) throw new Error('Expected to be started as a worker thread of openSqliteStore.');
main(parentPort, workerData);
