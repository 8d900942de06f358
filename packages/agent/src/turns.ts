// Turns: what an engine gives a manager, and what a manager gives its callers.
export { createAgentManager } from './turns/agent-manager.ts';
export type {
  AgentManager,
  AgentManagerOptions,
  CallWaiting,
  EndedSession,
  JobDelivery,
  TurnInput,
} from './turns/agent-manager.ts';
export { createAskDialog } from './turns/ask-dialog.ts';
export type { Dialog, DialogBoxes } from './turns/ask-dialog.ts';
export type {
  BackendSessions,
  BackendStart,
  RunningBackend,
  SessionOverview,
  TurnRequest,
  WorkflowBackend,
} from './turns/backend.ts';
export { buildOwned } from './turns/build-owned.ts';
export type { Closable, Own, Owned } from './turns/build-owned.ts';
export type { Reinitialization } from './turns/lifecycle.ts';
export type { TurnConsumer } from './turns/run-turn.ts';
export type { SessionCallOptions, SessionCalls } from './turns/session-calls.ts';
export { NestedTurnError, SessionsUnsupportedError } from './turns/turn-errors.ts';
export type { EventPlace, TurnEvent, TurnEventContent } from './turns/turn-event.ts';
export type { FollowUp, RunningTurn, TurnCalls } from './turns/turn-line.ts';
export type { TurnFault, TurnResult, TurnStatus } from './turns/turn-result.ts';
export { createTurnScope } from './turns/turn-scope.ts';
export type { TurnPlace, TurnScope } from './turns/turn-scope.ts';
export { addUsage, noUsage } from './turns/usage.ts';
export { createWorkflowController } from './turns/workflow-controller.ts';
export type {
  WorkflowController,
  WorkflowControllerOptions,
  WorkflowState,
} from './turns/workflow-controller.ts';
