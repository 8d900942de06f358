// What a session keeps of its tools, for the engine that runs it.
export {
  copyToolDeferrals,
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
  ToolDeferrals,
} from '@quartermaster/deferral';
