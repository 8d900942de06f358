export type {
  Claim,
  HistoryStore,
  SessionHistory,
  Store,
  ThreadKey,
  ThreadRecord,
  ThreadStore,
  VerdictRecord,
  VerdictStore,
} from './store.ts';
