export type { Edit } from './edit.ts';
export type {
  CacheMark,
  Content,
  ContentBlock,
  Items,
  Member,
  Message,
  MessagesOutline,
  OutlineRefusal,
  OutlineResult,
  ToolEntry,
} from './outline.ts';
export type { Span } from './span.ts';
export type { SseDecoder, SseEvent } from './sse.ts';
export type { Usage } from './usage.ts';
