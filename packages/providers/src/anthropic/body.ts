import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '@quartermaster/agent/messages';
import type { ModelRequest, ToolDeclaration } from '../language-model.ts';
import { isJsonObject } from '../json.ts';
import { placeTools } from '../place-tools.ts';
import type { PlacedTools, ToolTaking } from '../place-tools.ts';
import { dataFor, isBy } from '../provider-data.ts';
import type { Addressee } from '../provider-data.ts';
import { textsOf } from '../user-texts.ts';
import { toWellFormed } from '../well-formed.ts';
import { toWireCallId, toWireName } from '../wire-names.ts';
import { markCache, marked } from './cache-marks.ts';
import { joinMessages } from './join-messages.ts';
import type { AnthropicMessage } from './join-messages.ts';
import { toReasoning } from './reasoning.ts';
import type { Sampling } from './reasoning.ts';
import { toReferences, toToolList } from './tools.ts';

/** What a body depends on besides the request. */
export interface AnthropicTarget extends Addressee, ToolTaking {
  readonly api: 'anthropic-messages';
  /** The most that the model can say in one answer. */
  readonly maxOutputTokens: number;
}

/** What the SDK sends. */
export type AnthropicBody = Omit<MessageCreateParamsStreaming, 'messages'> &
  Sampling & { readonly messages: readonly AnthropicMessage[] };

/**
 * The body of a Messages request. A pure function: the same conversation gives the same bytes, and a longer one begins
 * with them but for the cache marks, which are no part of the rendered prompt.
 */
export function toAnthropicBody(request: ModelRequest, target: AnthropicTarget): AnthropicBody {
  const maxTokens = Math.min(request.maxOutputTokens ?? target.maxOutputTokens, target.maxOutputTokens);
  const placed = placeTools(request, target);
  const tools = toToolList(placed, { mayGrow: request.mayGrow === true, lateTools: target.lateTools });
  return toWellFormed({
    model: target.id,
    max_tokens: maxTokens,
    ...toReasoning(request, { id: target.id, maxTokens }),
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(!isBlank(request.system) && { system: [marked({ type: 'text' as const, text: request.system })] }),
    messages: markCache(
      joinMessages(request.messages, placed.afterMessage, (message) => toMessage(message, placed, target)),
    ),
    stream: true,
  });
}

/** None for an answer in which nothing is left to send: the API refuses empty content, and joins what stands around it. */
function toMessage(
  message: Message,
  { afterCall }: PlacedTools,
  target: AnthropicTarget,
): readonly MessageParam[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: textsOf(message).map((text) => ({ type: 'text', text })) }];
    case 'tool':
      return [
        {
          role: 'user',
          content: message.results.map((result) => toToolResult(result, afterCall.get(result.callId))),
        },
      ];
    case 'assistant': {
      const content = toAssistantContent(message, target);
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
  }
}

/**
 * Thoughts go back to the model that had them, and what the server did by itself to any of this API's. A thought at the
 * end, from which nothing followed, came of a cut answer; the API takes none there.
 */
function toAssistantContent(message: AssistantMessage, target: AnthropicTarget): ContentBlockParam[] {
  const blocks = message.content.flatMap((part): readonly ContentBlockParam[] => {
    const data = dataFor(part, target);
    switch (part.type) {
      case 'text':
        return isBlank(part.text) ? [] : [{ type: 'text', text: part.text, ...data }];
      case 'reasoning': {
        const block = data === undefined ? [] : [verbatim(data)];
        return block.filter((each) => !isThought(each) || isBy(message, target));
      }
      case 'tool-call':
        return [{ ...toToolUse(part), ...data }];
    }
  });
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

function isThought({ type }: ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Input that is no object is what the model wrote where it should have written JSON; the vendor says to wrap it. */
function toToolUse({ callId, name, input }: ToolCallPart): ContentBlockParam {
  return {
    type: 'tool_use',
    id: toWireCallId(callId),
    name: toWireName(name),
    input: isJsonObject(input) ? input : { INVALID_JSON: input },
  };
}

/** Tools that enter here stand beside the result's own text. */
function toToolResult(
  { callId, outcome, text }: ToolResult,
  entering: readonly ToolDeclaration[] = [],
): ToolResultBlockParam {
  const content = [...(isBlank(text) ? [] : [{ type: 'text' as const, text }]), ...toReferences(entering)];
  return {
    type: 'tool_result',
    tool_use_id: toWireCallId(callId),
    ...(content.length > 0 && { content }),
    ...(outcome !== 'completed' && { is_error: true }),
  };
}

/** A block that the API gave us. */
function verbatim(block: object): ContentBlockParam {
  return block as ContentBlockParam;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
