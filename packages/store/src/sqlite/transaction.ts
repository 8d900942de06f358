import type { Connection } from './connection.ts';
import { toFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Answer, Reply, Request } from './messages.ts';

/** Runs the request as it is, in a transaction that is open or in none. */
export function run(connection: Connection, { id, answer, statements }: Request): Answer {
  if (answer === 'rows') {
    return { type: 'answer', id, rows: statements.flatMap((one) => connection.rows(one)), changes: 0 };
  }
  const changes = statements.reduce((sum, one) => sum + connection.changes(one), 0);
  return { type: 'answer', id, rows: [], changes };
}

/** Runs the requests in the transaction that `connection.begin()` opened, and commits what succeeded of them. */
export function commitTogether(connection: Connection, requests: readonly Request[]): readonly Reply[] {
  const { database } = connection;
  try {
    const replies = requests.map((request) => runAlone(connection, request));
    database.exec('commit');
    return replies;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    const failure = toFailure(error, connection.file);
    return requests.map(({ id }) => failed(id, failure));
  }
}

/** One request's failure is undone by itself; one that made SQLite roll back the whole transaction is thrown on. */
function runAlone(connection: Connection, request: Request): Reply {
  const { database } = connection;
  database.exec('savepoint request');
  try {
    const answer = run(connection, request);
    database.exec('release request');
    return answer;
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('rollback to request; release request');
    return failed(request.id, toFailure(error, connection.file));
  }
}

/** The reply to a request that failed. */
export function failed(id: number, failure: Failure): Reply {
  return { type: 'failure', id, failure };
}
