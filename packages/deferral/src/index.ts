export { placeMarks } from './marks.ts';
export { chooseNamesPlace, namesListText, namesPosition } from './names.ts';
export type {
  MarkMove,
  MarkPlacement,
  NamesPlace,
  NamesPosition,
  PlacedMessage,
  PlacedTool,
} from './placement.ts';
export { protectedTools } from './protection.ts';
export { decideDeferral } from './rule.ts';
export type { DeclaredTool, RuleDecision, RuleInput, RuleReason, SessionTools } from './rule.ts';
export { isSearchTool, searchToolEntry } from './search-tool.ts';
export { unitOf } from './unit.ts';
export { recastPrompt, tokensPerSearch } from './ledger.ts';
export { sumPrompt } from './ledger-prompt.ts';
export type {
  CacheHits,
  CacheLife,
  CacheWrite,
  PromptArm,
  PromptPart,
  PromptTokens,
  Recast,
  RecastOptions,
} from './ledger-prompt.ts';
export { createRunningMedian } from './running-median.ts';
export type { RunningMedian } from './running-median.ts';
export { copyToolDeferrals, markTools, noToolDeferrals } from './tool-deferrals.ts';
export type {
  CallPosition,
  CopiedHistory,
  LateTool,
  LoadPoint,
  MarkedTool,
  Marking,
  PrefixBreak,
  PresentTool,
  ToolDeferrals,
} from './tool-deferrals.ts';
export { parseToolDeferrals, serialiseToolDeferrals } from './tool-deferrals-json.ts';
export { createToolIndex } from './tool-ranking.ts';
export type { SearchableTool, ToolIndex } from './tool-ranking.ts';
