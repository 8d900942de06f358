// What a session keeps of its tools, for the engine that runs it.
export {
  copyToolDeferrals,
  createToolIndex,
  markTools,
  noToolDeferrals,
  parseToolDeferrals,
  serialiseToolDeferrals,
} from '@quartermaster/deferral';
export type {
  CallPosition,
  LoadPoint,
  MarkedTool,
  PrefixBreak,
  SearchableTool,
  ToolDeferrals,
  ToolIndex,
} from '@quartermaster/deferral';
