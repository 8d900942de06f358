// A conversation in no vendor's form: what engines, providers and surfaces hand to one another.
export type {
  AssistantMessage,
  JsonValue,
  Message,
  ModelApi,
  ProviderData,
  ReasoningPart,
  StopReason,
  TextPart,
  TokenUsage,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  UserMessage,
} from './messages/message.ts';
