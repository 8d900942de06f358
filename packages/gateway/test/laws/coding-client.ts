import type { BodyBlock, BodyMessage, BodyTool } from '../support/anthropic-body.ts';
import { heavyTool } from '../support/coding-agent.ts';
import { tool } from '../support/anthropic-body.ts';
import type { ClientTraits, ModelId } from './scenario.ts';

/** One conversation as the client holds it; printed anew for each request, marks moved and spellings changed. */
export interface Conversation {
  readonly traits: ClientTraits;
  readonly session: string;
  readonly agent: string | undefined;
  readonly model: ModelId;
  readonly tools: readonly string[];
  readonly messages: readonly BodyMessage[];
}

/** What a request has beyond its conversation. */
export interface RequestExtras {
  readonly forced?: string | undefined;
  /** Instead of the conversation's own. */
  readonly tools?: readonly BodyTool[];
}

/** Where a tool can be forced at all. */
export const takesForcedTools: ReadonlySet<ModelId> = new Set(['claude-opus-4-8', 'claude-opus-4-6']);
const takesSystemMessages: ReadonlySet<ModelId> = new Set([
  'claude-opus-5-5',
  'claude-opus-4-8',
  'claude-fable-5-2',
]);
const short = { cache_control: { type: 'ephemeral' } } as const;
const long = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

/** The body of the conversation's next request, as Claude Code prints it: same keys in the same order. */
export function printRequest(conversation: Conversation, extras: RequestExtras = {}): string {
  const { traits, session, model } = conversation;
  const body = {
    model,
    messages: marked(spelled(addressed(conversation))),
    system: systemOf(conversation),
    tools: extras.tools ?? toolsOf(conversation),
    metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: session }) },
    max_tokens: 2_000,
    ...(traits.streams ? { stream: true } : {}),
    // A forced call and thinking exclude each other.
    thinking: extras.forced === undefined ? { type: 'adaptive', display: 'omitted' } : { type: 'disabled' },
    ...(extras.forced === undefined ? {} : { tool_choice: { type: 'tool', name: extras.forced } }),
  };
  return traits.spelling === 'compact' ? JSON.stringify(body) : JSON.stringify(body, null, 1);
}

/** The declared tools with whatever the client adds of its own. */
export function toolsOf({ traits, tools }: Pick<Conversation, 'traits' | 'tools'>): readonly BodyTool[] {
  const own = tools.map((name) => (name === 'Clock' ? tool(name) : heavyTool(name)));
  const life = traits.toolMark === '1h' ? long : short;
  const marks = own.map((entry, index) =>
    traits.toolMark !== 'none' && index === own.length - 1 ? { ...entry, ...life } : entry,
  );
  return [...marks, ...traits.extras.map(extraTool)];
}

/** Where a client keeps a late tool: built-ins first, then servers' tools, both alphabetical. */
export function withTool(tools: readonly string[], name: string): readonly string[] {
  const isServer = (tool: string): boolean => tool.startsWith('mcp__');
  return [...new Set([...tools, name])].toSorted(
    (left, right) => Number(isServer(left)) - Number(isServer(right)) || (left < right ? -1 : 1),
  );
}

/** The messages without what a model's thinking left in them, as after a change of model or a refusal. */
export function withoutThinking(messages: readonly BodyMessage[]): readonly BodyMessage[] {
  return messages.map(({ content, ...message }) => ({
    ...message,
    content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking'),
  }));
}

function extraTool(extra: ClientTraits['extras'][number]): BodyTool {
  switch (extra) {
    case 'own-search':
      return { name: 'tool_search_tool_regex', type: 'tool_search_tool_regex_20251119' };
    case 'own-deferred':
      return { name: 'Placeholder', defer_loading: true, input_schema: { type: 'object' } };
    case 'server-tool':
      return { name: 'web_search', type: 'web_search_20260318' };
  }
}

function systemOf({ traits, agent }: Conversation): readonly BodyBlock[] {
  const billing = `x-anthropic-billing-header: cc_version=1; cc_entrypoint=test;${agent === undefined ? '' : ' cc_is_subagent=true;'}`;
  // 1 h marks come before 5 m ones, and tools before system.
  const mark = traits.toolMark === '1h' ? long : short;
  return [
    { type: 'text', text: billing },
    { type: 'text', text: 'You are a coding agent. Grüße ✓', ...mark },
    { type: 'text', text: 'Work in small steps. '.repeat(20), ...short },
  ];
}

/** For models without `role: "system"` the same texts stand as blocks before the prompt that they follow. */
function addressed({ model, messages }: Conversation): readonly BodyMessage[] {
  if (model === 'claude-opus-4-8') return messages.filter((message) => blocksOf(message).length > 0);
  if (takesSystemMessages.has(model)) return messages.map(withEffort);
  const folded: BodyMessage[] = [];
  for (const message of messages) {
    const before = folded.at(-1);
    if (message.role !== 'system' || before === undefined) folded.push(message);
    else
      folded[folded.length - 1] = { role: before.role, content: [...blocksOf(message), ...blocksOf(before)] };
  }
  return folded;
}

/** Claude Code states the effort in its system messages, which may then be empty. */
function withEffort(message: BodyMessage): BodyMessage {
  return message.role === 'system' ? { ...message, output_config: { effort: 'high' } } : message;
}

/** A message of one text block is a string, but the last one. */
function spelled(messages: readonly BodyMessage[]): readonly BodyMessage[] {
  return messages.map((message) => {
    const blocks = blocksOf(message);
    const [only] = blocks;
    const isShort = blocks.length === 1 && only?.type === 'text' && only.text !== undefined;
    return { ...message, content: isShort ? only.text : blocks };
  });
}

/** The mark stands on the last block there is. */
function marked(messages: readonly BodyMessage[]): readonly BodyMessage[] {
  const last = messages.findLastIndex((message) => blocksOf(message).length > 0);
  return messages.map((message, index) => {
    if (index !== last) return message;
    const blocks = blocksOf(message);
    const content = blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...short } : block));
    return { ...message, content };
  });
}

export function blocksOf({ content }: BodyMessage): readonly BodyBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
