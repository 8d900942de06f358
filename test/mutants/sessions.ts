import type { Mutant } from './mutant.ts';

const source = (name: string): string => `packages/store/src/${name}.ts`;
const schema = 'packages/store/src/sqlite/session-schema.ts';
const tests = 'packages/store/test/sqlite-contract.test.ts';
const tables = 'packages/store/test/session-tables.test.ts';
const files = 'packages/store/test/sqlite-sessions.test.ts';

/** Of sessions in the store: the hold of a turn, its fence, receipts, copies and what belongs to one user. */
export const sessionMutants: readonly Mutant[] = [
  {
    name: 'a session key without its user',
    file: source('session-rows'),
    find: 'return sql`app = ${app} and user_id = ${user} and session = ${session}`;',
    replace: 'return sql`app = ${app} and ${user} = ${user} and session = ${session}`;',
    killedBy: { file: tests, test: 'RS5: app, user and session each tell sessions apart' },
  },
  {
    name: 'a session that is had by two turns',
    file: source('session-holds'),
    find: 'sql`(turn is null or turn in (${turn}, ${from}) or turn_ends_at_ms <= ${database.nowMs})`',
    replace: 'sql`(turn is null or turn in (${turn}, ${from}) or turn_ends_at_ms > ${database.nowMs})`',
    killedBy: { file: tests, test: 'L1: of 40 turns that begin at once' },
  },
  {
    name: 'a lease without an end',
    file: source('session-holds'),
    find: ' or turn_ends_at_ms <= ${database.nowMs})`',
    replace: ')`',
    killedBy: { file: tests, test: "L1: a lease that is over by the engine's clock" },
  },
  {
    name: 'a turn that is taken over twice',
    file: source('session-holds'),
    find: 'turn in (${turn}, ${from})',
    replace: 'turn is not ${from} or turn in (${turn}, ${from})',
    killedBy: { file: tests, test: 'L1: a turn whose owner is gone is taken over' },
  },
  {
    name: 'a write without a fence',
    file: source('session-holds'),
    find: 'return sql`${isOf(key)} and turn = ${turn} and not exists (',
    replace: 'return sql`${isOf(key)} and ${turn} = ${turn} and 1 = 1 or 1 = 2 and not exists (',
    killedBy: { file: tests, test: 'L1: nothing that a turn writes counts once another has taken' },
  },
  {
    name: 'a sub-session that a lost turn writes into',
    file: source('session-holds'),
    find: 'on above.session = line.parent',
    replace: 'on above.session = line.parent and 1 = 2',
    killedBy: { file: tests, test: 'L1: a turn that lost a session makes no sub-session of it' },
  },
  {
    name: 'a sub-session that a lost turn makes',
    file: source('sessions'),
    find: 'where ${isHeld({ app, user, session: parent }, turn)})`;',
    replace: 'where ${isOf({ app, user, session: parent })} and ${turn} = ${turn})`;',
    killedBy: { file: tests, test: 'L1: a turn that lost a session makes no sub-session of it' },
  },
  {
    name: 'a lost turn told nothing',
    file: source('session-writes'),
    find: 'if (request === undefined) throw turnLost(key, turn);',
    replace: '',
    killedBy: { file: tests, test: 'L1: a turn that ended writes nothing any more' },
  },
  {
    name: 'a lost call told nothing',
    file: source('session-writes'),
    find: 'if (written === 0) throw turnLost(key, turn);',
    replace: 'if (written < 0) throw turnLost(key, turn);',
    killedBy: { file: tests, test: 'L1: nothing that a turn writes counts once another has taken' },
  },
  {
    name: 'a request that is appended twice',
    file: source('session-writes'),
    find: 'sql`${isHeld(key, turn)} and not exists (',
    replace: 'sql`${isHeld(key, turn)} and 1 = 1 or 1 = 2 and not exists (',
    killedBy: { file: tests, test: 'RS4: an append that names its request is done once' },
  },
  {
    name: 'a request that is known by its id alone',
    file: source('session-writes'),
    find: "receipt.content_hash === contentHash ? 'repeated' : 'conflict'",
    replace: "receipt.content_hash === '' ? 'conflict' : 'repeated'",
    killedBy: { file: tests, test: 'RS4: a request of the same id with another content' },
  },
  {
    name: 'a result that is replaced',
    file: source('session-writes'),
    find: 'set result = coalesce(session_call.result, excluded.result)',
    replace: 'set result = coalesce(excluded.result, session_call.result)',
    killedBy: { file: tests, test: 'a call has begun, then has a result' },
  },
  {
    name: 'what sub-sessions spend is counted nowhere else',
    file: source('session-writes'),
    find: 'join session as above on above.session = line.parent',
    replace: 'join session as above on above.session = line.session and 1 = 2',
    killedBy: { file: tests, test: 'RS1: a sub-session is one of its parent' },
  },
  {
    name: 'sub-sessions in the list',
    file: source('sessions'),
    find: 'and parent is null ${isOlder}',
    replace: '${isOlder}',
    killedBy: { file: tests, test: 'RS1: a sub-session is one of its parent' },
  },
  {
    name: 'a sub-session of nobody',
    file: source('sessions'),
    find: ': sql`exists (',
    replace: ': sql`true or exists (',
    killedBy: { file: tests, test: 'a sub-session of nobody' },
  },
  {
    name: 'plans and tasks outlive their session',
    file: schema,
    find: 'create trigger session_went after delete on session begin',
    replace: 'create trigger session_went after delete on session when 1 = 2 begin',
    killedBy: { file: tables, test: 'a deleted session leaves no row' },
  },
  {
    name: 'receipts go along with a copy',
    file: source('session-copy'),
    find: 'const parts = [copyRows,',
    replace: `const copyReceipts = (one: Copy): Sql => sql\`
      insert into session_receipt select app, user_id, \${one.to.session}, request, content_hash
      from session_receipt where \${isOf(one.from)}\`;
    const parts = [copyRows, copyReceipts,`,
    killedBy: { file: tests, test: 'RS4: receipts stay with the source' },
  },
  {
    name: 'a copied item names the source’s sub-session',
    file: source('session-copy'),
    find: '${copied(copy, sql`sub_session`)}',
    replace: 'sub_session',
    killedBy: { file: tests, test: 'RS3: a copy has the items, calls, sub-sessions' },
  },
  {
    name: 'a copy has whatever session an item names',
    file: source('session-copy'),
    find: 'where below.parent = family.session and (',
    replace: 'where (',
    killedBy: { file: tests, test: 'RS5: a copy takes nothing of a session' },
  },
  {
    name: 'a branch has the calls of its whole source',
    file: source('session-copy'),
    find: 'item in (\n      select id from session_item where ${isOf(copy.from)} and position < ${copy.endPosition}))`;',
    replace: '1 = 1)`;',
    killedBy: { file: tests, test: 'RS3: a branch before position' },
  },
  {
    name: 'a branch has spent what its source has',
    file: source('session-copy'),
    find: ', copyTasks, countSpent]',
    replace: ', copyTasks]',
    killedBy: { file: tests, test: 'RS3: a branch before position' },
  },
  {
    name: 'a branch beyond the end',
    file: source('session-copy'),
    find: ' && beforePosition <= row.length) return;',
    replace: ') return;',
    killedBy: { file: tests, test: 'RS3: no branch is made before position' },
  },
  {
    name: 'a branch has a state that changed meanwhile',
    file: source('session-copy'),
    find: ' and tool_deferrals = cast(${toolDeferrals ?? null} as text)',
    replace: ' and cast(${toolDeferrals ?? null} as text) is not null',
    killedBy: { file: tests, test: 'DP2: a branch has the state only where' },
  },
  {
    name: 'a reset outside the compaction’s transaction',
    file: source('session-writes'),
    find: '...(toolDeferrals === undefined ? [] : changeToolDeferrals(key, isNew, toolDeferrals)),',
    replace: '',
    killedBy: { file: tests, test: 'DP3: a compaction and the reset that it causes' },
  },
  {
    name: 'an unreadable state is thrown away',
    file: source('session-deferrals'),
    find: 'set tool_deferrals_aside = coalesce(tool_deferrals, tool_deferrals_aside), tool_deferrals = null',
    replace: 'set tool_deferrals = null',
    killedBy: { file: files, test: 'DP1, DP4: a state that was set aside is kept' },
  },
  {
    name: 'declarations that nobody names',
    file: schema,
    find: 'create trigger session_declaration_went after delete on session_declaration begin',
    replace: 'create trigger session_declaration_went after delete on session_declaration when 1 = 2 begin',
    killedBy: { file: tables, test: 'a deleted session leaves no row' },
  },
  {
    name: 'a list without an index',
    file: schema,
    find: 'create index session_by_last_use on session (app, user_id, updated_at_ms, session) where parent is null;',
    replace: '',
    killedBy: { file: tables, test: 'every statement of sessions finds its rows' },
  },
];
