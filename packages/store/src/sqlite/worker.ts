import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { openConnection, openToRead } from './connection.ts';
import type { Connection } from './connection.ts';
import { toFailure } from './failure.ts';
import { createFile } from './file.ts';
import type { CloseRequest, Durability, Opening, Reply, Request, WorkerData } from './messages.ts';
import { migrate, refuseUnknown } from './migrations.ts';
import { createQueue } from './queue.ts';
import { sqliteMigrations } from './schema.ts';

/** The thread that owns both connections. A lock or a slow disk holds up this thread, never the streams of the main one. */
function main(port: MessagePort, { file }: WorkerData): void {
  const answer = (message: Opening | Reply): void => port.postMessage(message);
  try {
    serve(port, openBoth(file), answer);
    answer({ type: 'opened' });
  } catch (error) {
    answer({ type: 'refused', failure: toFailure(error, file) });
    port.close();
  }
}

function openBoth(file: string): Readonly<Record<Durability, Connection>> {
  createFile(file);
  lookAt(file);
  const normal = openConnection(file, 'normal');
  try {
    migrate(normal.database, sqliteMigrations);
    return { normal, full: openConnection(file, 'full') };
  } catch (error) {
    normal.close();
    throw error;
  }
}

function lookAt(file: string): void {
  using database = openToRead(file);
  refuseUnknown(database, sqliteMigrations);
}

function serve(
  port: MessagePort,
  connections: Readonly<Record<Durability, Connection>>,
  reply: (reply: Reply) => void,
): void {
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
