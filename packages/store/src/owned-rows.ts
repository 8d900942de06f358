import type { KnowledgeOwner, MemoryOwner, SessionKey } from './agent-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { StoreError } from './store-error.ts';

/** Holds for the rows of one session, in each of the tables: all of the key, always (RS5). */
export function isOf({ app, user, session }: SessionKey): Sql {
  return sql`${isOfUser({ app, user })} and session = ${ownName(session)}`;
}

/** Holds for the rows of one user. */
export function isOfUser({ app, user }: MemoryOwner): Sql {
  return sql`app = ${ownName(app)} and user_id = ${ownName(user)}`;
}

/** Holds for the knowledge of one owner. */
export function isOfOwner({ app, kind, id }: KnowledgeOwner): Sql {
  return sql`app = ${ownName(app)} and owner_kind = ${kind} and owner = ${ownName(id)}`;
}

/** The name as it is. UTF-8 has no half of a surrogate pair: SQLite keeps each as U+FFFD, so that two names would be one (case 135). */
export function ownName(text: string): string {
  if (text.isWellFormed()) return text;
  throw new StoreError(
    'STORE_BAD_NAME',
    'Expected the name of an app, a user, a session or a project in whole characters; it holds half of one. ' +
      'Refuse such a name where it comes in.',
  );
}
