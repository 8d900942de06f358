import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { SettingsStore } from './store.ts';

interface SettingsRow {
  readonly settings: string;
  readonly changed_at_ms: number;
}

/** What accounts have set (PR2) over either engine: one text per tenant, so that a change is one statement. */
export function createSettingsStore(database: Database): SettingsStore {
  return {
    async read(tenant) {
      const [row] = await database.all<SettingsRow>(sql`
        select settings, changed_at_ms from account_settings where tenant = ${tenant}`);
      return row && { tenant, settings: row.settings, changedAtMs: row.changed_at_ms };
    },

    async replace({ tenant, settings, changedAtMs }, expected) {
      const changed = await database.run(
        expected === undefined
          ? sql`
            insert into account_settings (tenant, settings, changed_at_ms)
            values (${tenant}, ${settings}, ${changedAtMs})
            on conflict (tenant) do nothing`
          : sql`
            update account_settings set settings = ${settings}, changed_at_ms = ${changedAtMs}
            where tenant = ${tenant} and settings = ${expected}`,
      );
      return changed === 1;
    },
  };
}
