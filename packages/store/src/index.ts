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
  Claim,
  HistoryStore,
  KeptHistory,
  OpeningRecord,
  OpeningStore,
  PlanRecord,
  PlanStore,
  SessionHistory,
  Store,
  ThreadKey,
  ThreadRecord,
  ThreadStore,
  VerdictRecord,
  VerdictStore,
} from './store.ts';
