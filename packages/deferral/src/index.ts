export type { MarkMove, NamesPlace, PlacedMessage, PlacedTool } from './placement.ts';
export type { DeclaredTool, RuleDecision, RuleInput, RuleReason, SessionTools } from './rule.ts';
