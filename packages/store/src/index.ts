export type {
  DocumentRecord,
  KnowledgeOwner,
  KnowledgeStore,
  MemoryOwner,
  MemoryRecord,
  MemoryStore,
  PassageHit,
  PassageRecord,
  SessionKey,
  SessionTaskStore,
  TaskRecord,
} from './agent-store.ts';
export { openSqliteStore, sqliteFileName } from './sqlite/open.ts';
export type { SqliteStoreOptions } from './sqlite/open.ts';
export type { FileSystemType } from './sqlite/folder.ts';
export type { Access, Durability } from './sqlite/messages.ts';
export { StoreError, storeErrors } from './store-error.ts';
export type { StoreErrorCode, StoreErrorTraits } from './store-error.ts';
export type {
  CacheEntryRecord,
  Claim,
  HistoryStore,
  KeptHistory,
  LedgerAmount,
  LedgerStore,
  RequestRecord,
  OpeningRecord,
  OpeningStore,
  OptOutRecord,
  OptOutStore,
  PlanRecord,
  PlanStore,
  SearchTurnRecord,
  SearchTurnStore,
  SessionHistory,
  SettingsRecord,
  SettingsStore,
  Store,
  ThreadKey,
  ThreadRecord,
  ThreadStore,
  TurnOffRecord,
  TurnOffStore,
  VerdictRecord,
  VerdictStore,
} from './store.ts';
