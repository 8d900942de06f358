import type { SessionKey } from './agent-store.ts';
import type { Database } from './database.ts';
import { isHeld, turnLost } from './session-holds.ts';
import { isOf } from './owned-rows.ts';
import type { FrozenDeclaration, SessionStore, StoredToolDeferrals } from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

interface DeferralRow {
  /** Of the state's own row, none. */
  readonly digest: string | null;
  readonly text: string;
}

/**
 * What sessions have deferred (session-deferral DP1, DP3, DP4). Declarations are shared by content, but only within one
 * user: a digest that one user made up must not name what another reads (RS5).
 */
export function createSessionDeferrals(
  database: Database,
): Pick<SessionStore, 'readToolDeferrals' | 'saveToolDeferrals' | 'setToolDeferralsAside'> {
  async function change(key: SessionKey, turn: string, statements: readonly Sql[]): Promise<void> {
    if ((await database.batch(statements)) === 0) throw turnLost(key, turn);
  }

  return {
    async readToolDeferrals(key) {
      // One statement, so that no writer comes between the state and what it names.
      const rows = await database.all<DeferralRow>(sql`
        select null as digest, tool_deferrals as text from session where ${isOf(key)} and tool_deferrals is not null
        union all
        select digest, declaration from session_declaration join tool_declaration using (app, user_id, digest)
        where ${isOf(key)}`);
      const state = rows.find(({ digest }) => digest === null)?.text;
      if (state === undefined) return undefined;
      const declarations = rows.flatMap(({ digest, text }) =>
        digest === null ? [] : [{ digest, declaration: text }],
      );
      return { state, declarations };
    },

    saveToolDeferrals: async (key, turn, deferrals) =>
      change(key, turn, changeToolDeferrals(key, isHeld(key, turn), deferrals)),

    setToolDeferralsAside: async (key, turn) =>
      change(key, turn, [
        sql`
          update session set tool_deferrals_aside = coalesce(tool_deferrals, tool_deferrals_aside), tool_deferrals = null
          where ${isHeld(key, turn)}`,
      ]),
  };
}

/** Part of a write that counts where `fence` holds for the session's row. `null` forgets the state and its declarations. */
export function changeToolDeferrals(
  key: SessionKey,
  fence: Sql,
  deferrals: StoredToolDeferrals | null,
): readonly Sql[] {
  const save = sql`update session set tool_deferrals = ${deferrals?.state ?? null} where ${fence}`;
  if (deferrals === null) {
    return [
      save,
      sql`delete from session_declaration where ${isOf(key)} and exists (select 1 from session where ${fence})`,
    ];
  }
  return [save, ...deferrals.declarations.flatMap((one) => nameDeclaration(fence, one))];
}

/** The first text of a digest stands. */
function nameDeclaration(fence: Sql, { digest, declaration }: FrozenDeclaration): readonly Sql[] {
  return [
    sql`
      insert into tool_declaration (app, user_id, digest, declaration)
      select app, user_id, cast(${digest} as text), cast(${declaration} as text) from session where ${fence}
      on conflict (app, user_id, digest) do nothing`,
    sql`
      insert into session_declaration (app, user_id, session, digest)
      select app, user_id, session, cast(${digest} as text) from session where ${fence}
      on conflict (app, user_id, session, digest) do nothing`,
  ];
}
