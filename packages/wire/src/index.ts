export { applyEdits, undoEdits } from './edit.ts';
export type { Edit } from './edit.ts';
export {
  appendItem,
  asciiJson,
  findItems,
  findMember,
  insertItemAfter,
  insertMember,
  removeItems,
  removeMember,
  replaceValue,
  setMember,
} from './edit-json.ts';
export { WireError } from './errors.ts';
export type { WireErrorCode } from './errors.ts';
export { outlineMessages } from './outline-body.ts';
export { moveTools } from './move-tools.ts';
export type {
  CacheMark,
  Content,
  ContentBlock,
  Items,
  KnownTools,
  Member,
  Message,
  MessagesOutline,
  OutlineRefusal,
  OutlineResult,
  ToolEntry,
} from './outline.ts';
export type { Span } from './span.ts';
export { createSseDecoder } from './sse-decode.ts';
export type { SseDecoderOptions } from './sse-decode.ts';
export { encodeSseEvent } from './sse-encode.ts';
export type { SseDecoder, SseEvent } from './sse.ts';
export { mergeAnthropicUsage } from './usage-merge.ts';
export { readAnthropicUsage, readOpenAiUsage } from './usage-read.ts';
export type { Usage } from './usage.ts';
