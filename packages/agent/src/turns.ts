// Turns: what an engine gives a manager, and what a manager gives its callers.
export type {
  BackendSessions,
  BackendStart,
  RunningBackend,
  SessionOverview,
  TurnRequest,
  WorkflowBackend,
} from './turns/backend.ts';
export type { EventPlace, TurnEvent, TurnEventContent } from './turns/turn-event.ts';
export type { TurnResult, TurnStatus } from './turns/turn-result.ts';
