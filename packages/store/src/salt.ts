import type { Database } from './database.ts';
import { sql } from './sql.ts';

/** The salt that the store was made with; all replicas on one store hash alike. */
export async function readSalt(database: Database): Promise<string> {
  const [row] = await database.all<{ readonly value: string }>(sql`select value from salt where id = 1`);
  return row?.value ?? '';
}
