import { describe, expect, test } from 'vitest';
import { assistant, bm25, regex, requestOf, startSimulator, system, tool, user } from './harness.ts';

type Changes = Record<string, unknown>;
interface Case {
  readonly name: string;
  readonly body: Changes;
  readonly message: string | RegExp;
  readonly status?: number;
  readonly betas?: string;
  readonly detail?: string;
}

const call = { type: 'tool_use', id: 'toolu_1', name: 'a', input: {} };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' };
const searchCall = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'tool_search_tool_bm25',
  input: { query: 'x' },
};
const searchResult = (...names: string[]): Changes => ({
  type: 'tool_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
  },
});
const mark = (ttl?: string): Changes => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
const text = (value: string, changes: Changes = {}): Changes => ({ type: 'text', text: value, ...changes });
const deferred = { defer_loading: true };
const toolChanges = 'mid-conversation-tool-changes-2026-07-01';
const without = (key: string): Changes => {
  const { [key]: _, ...rest } = requestOf();
  return rest;
};
const history = (...turns: Changes[]): Changes => requestOf({ tools: [tool('a')], messages: turns });

const cases: readonly Case[] = [
  {
    name: 'rule 1: an unknown top-level key',
    body: requestOf({ foo: 1 }),
    message: 'foo: Extra inputs are not permitted',
  },
  { name: 'rule 1: no max_tokens', body: without('max_tokens'), message: 'max_tokens: Field required' },
  { name: 'rule 1: no messages', body: without('messages'), message: 'messages: Field required' },
  { name: 'rule 1: no model', body: without('model'), message: 'model: Field required' },
  {
    name: 'rule 1: an unknown model',
    body: requestOf({ model: 'claude-nope' }),
    status: 404,
    message: 'model: claude-nope',
  },
  {
    name: 'rule 1: a model of another vendor',
    body: requestOf({ model: 'gpt-5.4' }),
    status: 404,
    message: 'model: gpt-5.4',
  },
  {
    name: 'rule 1: no messages at all',
    body: requestOf({ messages: [] }),
    message: 'messages: at least one message is required',
  },
  {
    name: 'rule 1: an unknown key of a message',
    body: requestOf({ messages: [{ ...user('x'), name: 'n' }] }),
    message: 'messages.0.name: Extra inputs are not permitted',
  },
  {
    name: 'rule 1: an unknown key of a block',
    body: requestOf({ messages: [user([text('x', { foo: 1 })])] }),
    message: 'messages.0.content.0.text.foo: Extra inputs are not permitted',
  },
  {
    name: 'rule 1: an unknown block',
    body: requestOf({ messages: [user([{ type: 'martian' }])] }),
    message: /^messages\.0\.content\.0: Input tag 'martian' found using 'type'/,
  },
  {
    name: 'rule 1: a call in a user message',
    body: requestOf({ messages: [user([call])] }),
    message: /^messages\.0\.content\.0: Input tag 'tool_use'/,
  },
  {
    name: 'rule 1: too many tokens asked for',
    body: requestOf({ max_tokens: 128_001 }),
    message: /^max_tokens: 128001 > 128000/,
  },
  {
    name: 'rule 2: context_management without its beta',
    body: requestOf({ context_management: { edits: [] } }),
    message: 'context_management: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: mcp_servers without its beta',
    body: requestOf({ mcp_servers: [] }),
    message: 'mcp_servers: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: thread without its beta',
    body: requestOf({ thread: { type: 'create' } }),
    message: 'thread: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: clear_at without its beta',
    body: requestOf({ messages: [user('x'), system('y', { clear_at: 'next_user_message' })] }),
    message: 'messages.1.clear_at: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: output_config of a message without its beta',
    body: requestOf({ messages: [user('x'), system('y', { output_config: { effort: 'low' } })] }),
    message: 'messages.1.output_config: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: tool_addition without its beta',
    body: requestOf({
      tools: [tool('a')],
      messages: [user('x'), system([{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'a' } }])],
    }),
    message: 'messages.1.content.0.tool_addition: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: block_binding without its beta',
    body: requestOf({ thinking: { type: 'adaptive', block_binding: {} } }),
    message: 'thinking.adaptive.block_binding: Extra inputs are not permitted',
  },
  {
    name: 'rule 2: an inline definition under the older beta only',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([{ type: 'tool_addition', tool: { type: 'tool_definition', definition: tool('b') } }]),
      ],
    }),
    betas: toolChanges,
    message: /Input tag 'tool_definition'/,
  },

  {
    name: 'row 1: every tool deferred',
    body: requestOf({ tools: [tool('a', deferred), tool('b', deferred)] }),
    message: 'At least one tool must have defer_loading=false. All tools cannot be deferred.',
  },
  {
    name: 'row 2: a search result that names a missing tool',
    body: history(user('x'), assistant([searchCall, searchResult('gone')]), user('y')),
    message: "Tool reference 'gone' not found in available tools",
  },
  {
    name: "row 2: a client's result that names a missing tool",
    body: history(
      user('x'),
      assistant([call]),
      user([{ ...result, content: [{ type: 'tool_reference', tool_name: 'gone' }] }]),
    ),
    message: "Tool reference 'gone' not found in available tools",
  },
  {
    name: 'row 3: a mark on a deferred tool',
    body: requestOf({ tools: [tool('a'), tool('b', { ...deferred, ...mark() })] }),
    message:
      "Tool 'b' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
  },
  {
    name: 'row 4: five marks',
    body: requestOf({
      tools: [tool('a', mark()), tool('b', mark())],
      system: [text('s', mark())],
      messages: [user([text('m', mark()), text('n', mark())])],
    }),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    name: 'row 4: four marks and the automatic one',
    body: requestOf({ ...mark(), system: [1, 2, 3, 4].map((n) => text(`s${n}`, mark())) }),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    name: 'row 4: a mark within a result counts',
    body: history(
      user([text('x', mark())]),
      assistant([{ ...call, ...mark() }]),
      user([{ ...result, content: [text('a', mark()), text('b', mark())], ...mark() }]),
    ),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    name: 'row 4: an automatic mark against another life on the last block',
    body: requestOf({ ...mark('1h'), messages: [user([text('x', mark('5m'))])] }),
    message: /^cache_control: the last block already has/,
  },
  {
    name: 'row 5: 1 h after 5 m',
    body: requestOf({ system: [text('s', mark())], messages: [user([text('x', mark('1h'))])] }),
    message:
      /^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h' cache_control block must not come after/,
  },
  {
    name: 'rule 4: a mark on thinking',
    body: requestOf({
      messages: [
        user('x'),
        assistant([{ type: 'thinking', thinking: '', signature: '', ...mark() }, text('y')]),
        user('z'),
      ],
    }),
    message: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  },
  {
    name: 'rule 4: a mark on empty text',
    body: requestOf({ messages: [user([text('', mark())])] }),
    message: 'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  },
  {
    name: 'rule 4: an unknown life',
    body: requestOf({ system: [text('s', mark('2h'))] }),
    message: "system.0.text.cache_control.ttl: Input should be '5m' or '1h'",
  },
  {
    name: 'rule 4: a scope without its beta',
    body: requestOf({ system: [text('s', { cache_control: { type: 'ephemeral', scope: 'global' } })] }),
    message: 'system.0.text.cache_control.scope: Extra inputs are not permitted',
  },
  {
    name: 'row 6: a call without a result',
    body: history(user('x'), assistant([call]), user('y')),
    message:
      /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\. Each/,
  },
  {
    name: 'row 6: a call at the very end',
    body: { ...history(user('x'), assistant([call])), model: 'claude-haiku-4-5' },
    message: /^messages\.1: `tool_use` ids were found without `tool_result` blocks/,
  },
  {
    name: 'row 6: a result behind other content',
    body: history(user('x'), assistant([call]), user([text('y'), result])),
    message: /ids were found without `tool_result` blocks/,
  },
  {
    name: 'row 7: a stray result',
    body: history(user('x'), assistant('y'), user([result])),
    message:
      /^messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1\. Each/,
  },
  {
    name: 'row 7: two results for one call',
    body: history(user('x'), assistant([call]), user([result, result])),
    message: /^messages\.2\.content\.1: each tool_use must have a single result/,
  },
  {
    name: 'row 8: a result for a search',
    body: history(
      user('x'),
      assistant([searchCall, searchResult('a')]),
      user([{ ...result, tool_use_id: 'srvtoolu_1' }]),
    ),
    message: /unexpected `tool_use_id` found in `tool_result` blocks: srvtoolu_1/,
  },
  {
    name: 'case 25: a search whose result is gone',
    body: history(user('x'), assistant([searchCall, text('y')]), user('z')),
    message:
      /`tool_search_tool_bm25` tool use with id `srvtoolu_1` was found without a corresponding `tool_search_tool_bm25_tool_result` block/,
  },
  {
    name: 'case 25: a search result whose search is gone',
    body: history(user('x'), assistant([searchResult('a')]), user('z')),
    message: /unexpected `tool_use_id` found in `tool_search_tool_result` blocks: srvtoolu_1/,
  },
  {
    name: 'row 9: two tools of one name',
    body: requestOf({ tools: [tool('a'), tool('a')] }),
    message: 'tools: Tool names must be unique.',
  },
  {
    name: 'row 10: a bad name',
    body: requestOf({ tools: [tool('a b')] }),
    message: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    name: 'row 10: a name of 129 characters',
    body: requestOf({ tools: [tool('a'.repeat(129))] }),
    message: /^tools\.0\.custom\.name: String should match/,
  },
  {
    name: 'row 11: no schema',
    body: requestOf({ tools: [{ name: 'a' }] }),
    message: 'tools.0.custom.input_schema: Field required',
  },
  {
    name: 'row 11: a schema that is no object',
    body: requestOf({ tools: [tool('a', { input_schema: { type: 'string' } })] }),
    message: "tools.0.custom.input_schema.type: Input should be 'object'",
  },
  {
    name: 'row 12: an unknown key of a tool',
    body: requestOf({ tools: [tool('a', { foo: 1 })] }),
    message: 'tools.0.custom.foo: Extra inputs are not permitted',
  },
  {
    name: 'row 12: an unknown kind of tool',
    body: requestOf({ tools: [{ type: 'martian_20260101', name: 'm' }] }),
    message: /^tools\.0: Input tag 'martian_20260101'/,
  },
  {
    name: 'row 13: a forced tool on a new model',
    body: requestOf({ tools: [tool('a')], tool_choice: { type: 'tool', name: 'a' } }),
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    name: 'row 13: any tool on a new model',
    body: requestOf({ tools: [tool('a')], tool_choice: { type: 'any' } }),
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    name: 'row 14: a retired kind of tool',
    body: requestOf({ tools: [{ type: 'computer_20251124', name: 'computer' }] }),
    message: "'claude-opus-5-5' does not support tool types: computer_20251124.",
  },
  {
    name: 'row 14: tool search on a model without',
    body: requestOf({ model: 'claude-opus-4-1', tools: [tool('a'), bm25] }),
    message: "'claude-opus-4-1-20250805' does not support tool types: tool_search_tool_bm25_20251119.",
  },
  {
    name: 'row 15: an assistant message at the end',
    body: requestOf({ messages: [user('x'), assistant('y')] }),
    message:
      'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    name: 'row 16: enabled thinking on an adaptive model',
    body: requestOf({ thinking: { type: 'enabled', budget_tokens: 1_024 } }),
    message: /^"thinking\.type\.enabled" is not supported for this model\. Use "thinking\.type\.adaptive"/,
  },
  {
    name: 'an effort on a model that takes none',
    body: requestOf({ model: 'claude-haiku-4-5', output_config: { effort: 'low' } }),
    message: 'This model does not support the effort parameter.',
  },
  {
    name: 'an effort that came with a later model',
    body: requestOf({ model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } }),
    message: "output_config.effort: Input should be 'low', 'medium', 'high' or 'max'",
  },
  {
    name: 'row 17: thinking switched off on a model that always thinks',
    body: requestOf({ thinking: { type: 'disabled' } }),
    message: /^"thinking\.type\.disabled" is not supported/,
  },
  {
    name: 'row 18: adaptive thinking on an old model',
    body: requestOf({ model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } }),
    message: 'adaptive thinking is not supported on this model',
  },
  {
    name: 'row 25: tool_choice without tools',
    body: requestOf({ tool_choice: { type: 'auto' } }),
    message: 'tool_choice may only be specified while providing tools.',
  },

  {
    name: 'rule 3: a deferred search tool',
    body: requestOf({ tools: [tool('a'), { ...bm25, ...deferred }] }),
    message: /^Tool 'tool_search_tool_bm25' cannot have defer_loading=true/,
  },
  {
    name: 'rule 3: a search tool by another name',
    body: requestOf({ tools: [tool('a'), { ...regex, name: 'find' }] }),
    message: "tools.1.tool_search_tool_regex_20251119.name: Input should be 'tool_search_tool_regex'",
  },
  {
    name: 'rule 3: more than 10,000 deferred tools',
    body: requestOf({
      tools: [tool('z'), ...Array.from({ length: 10_001 }, (_, n) => tool(`t${n}`, deferred))],
    }),
    message: /at most 10000 tools/,
    detail: 'available_tools_limit_exceeded',
  },
  {
    name: 'rule 3: a forced tool that is deferred and not loaded',
    body: requestOf({
      model: 'claude-opus-5',
      tools: [tool('a'), tool('b', deferred)],
      tool_choice: { type: 'tool', name: 'b' },
    }),
    message: /^tool_choice: tool 'b' has defer_loading=true/,
  },
  {
    name: 'rule 3: a forced tool that does not exist',
    body: requestOf({ model: 'claude-opus-5', tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } }),
    message: "Tool 'b' not found in provided tools",
  },
  {
    name: 'rule 3: a forced tool with thinking',
    body: requestOf({
      model: 'claude-opus-5',
      tools: [tool('a')],
      tool_choice: { type: 'any' },
      thinking: { type: 'adaptive' },
    }),
    message: 'Thinking may not be enabled when tool_choice forces tool use.',
  },
  {
    name: 'a temperature on a model that takes none',
    body: requestOf({ temperature: 0 }),
    message: 'temperature: only the default value is supported for this model.',
  },
  {
    name: 'case 13: blank text',
    body: requestOf({ messages: [user([text('\n')])] }),
    message: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    name: 'case 13: empty text',
    body: requestOf({ messages: [user('')] }),
    message: 'messages: text content blocks must be non-empty',
  },

  {
    name: 'rule 5: an assistant message first',
    body: requestOf({ messages: [assistant('x'), user('y')] }),
    message: 'messages: first message must use the "user" role',
  },
  {
    name: 'row 23: a system message on a model without',
    body: requestOf({ model: 'claude-sonnet-5', messages: [user('x'), system('y')] }),
    message: "messages.1.role: Input should be 'user' or 'assistant'",
  },
  {
    name: 'row 23: a system message first',
    body: requestOf({ messages: [system('y'), user('x')] }),
    message: /^messages\.0: a system message must not come first/,
  },
  {
    name: 'row 23: a system message after an answer',
    body: requestOf({ messages: [user('x'), assistant('y'), system('z'), user('w')] }),
    message: /^messages\.2: a system message must directly follow a user message/,
  },
  {
    name: 'row 23: a system message before a user message',
    body: requestOf({ messages: [user('x'), system('z'), user('w')] }),
    message: /^messages\.1: a system message must be the last message or be followed by an assistant message/,
  },
  {
    name: 'row 23: a system message between a call and its result',
    body: history(user('x'), assistant([call]), system('z'), user([result])),
    message: /^messages\.2: a system message must directly follow/,
  },
  {
    name: '§1.10.4: a system message without anything',
    body: requestOf({ messages: [user('x'), system([])] }),
    message: 'messages.1: a system message must have content or output_config',
  },
  {
    name: '§1.10.2: an addition directly after a paused turn',
    body: history(
      user('x'),
      assistant([searchCall, searchResult('a')]),
      system([{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'a' } }]),
    ),
    betas: toolChanges,
    message: /^messages\.2: tools can't be changed directly after a paused assistant message/,
  },
  {
    name: 'row 24: an addition of an unknown tool',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'gone' } }]),
      ],
    }),
    betas: toolChanges,
    message: "Tool reference 'gone' not found in available tools",
    detail: 'tool_reference_unresolved',
  },
  {
    name: 'row 24: an inline definition by the name of a tool of another kind',
    body: requestOf({
      tools: [tool('a'), bm25],
      messages: [
        user('x'),
        system([
          {
            type: 'tool_addition',
            tool: { type: 'tool_definition', definition: tool('tool_search_tool_bm25') },
          },
        ]),
      ],
    }),
    betas: 'inline-tools-2026-09-15',
    message: /already provided/,
    detail: 'tool_name_conflict',
  },
  {
    name: '§1.10.3: a mark on a turn-scoped message',
    body: requestOf({
      messages: [user('x'), system([text('y', mark())], { clear_at: 'next_user_message' })],
    }),
    betas: 'mid-conversation-system-clear-at-2026-08-21',
    message: /^messages\.1\.content\.0: cache_control is not permitted on a turn-scoped system message/,
  },
  {
    name: '§1.10.3: clear_at on a user message',
    body: requestOf({ messages: [{ ...user('x'), clear_at: 'never' }] }),
    betas: 'mid-conversation-system-clear-at-2026-08-21',
    message: "messages.0.clear_at: clear_at is only permitted on role 'system' messages",
  },
  {
    name: 'rule 3: a deferred tool on a model without tool search',
    body: requestOf({ model: 'claude-opus-4-1', tools: [tool('a'), tool('b', deferred)] }),
    message: "'claude-opus-4-1-20250805' does not support tools with defer_loading=true.",
  },
  {
    name: 'rule 3: a flag that is no boolean',
    body: requestOf({ tools: [tool('a'), tool('b', { defer_loading: 'yes' })] }),
    message: 'tools.1.custom.defer_loading: Input should be a valid boolean',
  },
  {
    name: 'rule 3: the same of a server tool',
    body: requestOf({
      tools: [tool('a'), { type: 'web_search_20260318', name: 'web_search', defer_loading: 1 }],
    }),
    message: 'tools.1.web_search_20260318.defer_loading: Input should be a valid boolean',
  },
  {
    name: 'rule 1: max_tokens that is no whole number',
    body: requestOf({ max_tokens: 1.5 }),
    message: 'max_tokens: Input should be a valid integer',
  },
  {
    name: 'rule 1: an unknown key of metadata',
    body: requestOf({ metadata: { foo: 1 } }),
    message: 'metadata.foo: Extra inputs are not permitted',
  },
  {
    name: 'rule 1: an unknown kind of thinking',
    body: requestOf({ thinking: { type: 'deep' } }),
    message: /^thinking\.type: Input should be 'adaptive', 'enabled'/,
  },
  {
    name: 'rule 1: too small a budget',
    body: requestOf({ model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 1_023 } }),
    message: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  },
  {
    name: 'rule 1: a budget above max_tokens',
    body: requestOf({ model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 1_024 } }),
    message: '`max_tokens` must be greater than `thinking.budget_tokens`.',
  },
  {
    name: 'rule 5: one id for two calls',
    body: history(user('x'), assistant([call, call]), user([result])),
    message: 'messages.1.content.1: `tool_use` ids must be unique',
  },
  {
    name: 'row 24: an addition from an unknown MCP server',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([
          { type: 'tool_addition', tool: { type: 'mcp_tool_reference', server_name: 'gone', name: 'a' } },
        ]),
      ],
    }),
    betas: toolChanges,
    message: "Tool reference 'gone' not found in available tools",
    detail: 'tool_reference_unresolved',
  },
  {
    name: '§1.10.2: a mark on the block and in the definition',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([
          {
            type: 'tool_addition',
            ...mark(),
            tool: { type: 'tool_definition', definition: tool('b', mark()) },
          },
        ]),
      ],
    }),
    betas: 'inline-tools-2026-09-15',
    message: /cache_control may be set on the block or inside the definition, not both$/,
  },
  {
    name: '§1.10.2: a removal with a definition',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([{ type: 'tool_removal', tool: { type: 'tool_definition', definition: tool('a') } }]),
      ],
    }),
    betas: 'inline-tools-2026-09-15',
    message: /Input tag 'tool_definition'/,
  },
  {
    name: '§1.10.3: other than text in a turn-scoped message',
    body: requestOf({
      tools: [tool('a')],
      messages: [
        user('x'),
        system([{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'a' } }], {
          clear_at: 'next_user_message',
        }),
      ],
    }),
    betas: `${toolChanges},mid-conversation-system-clear-at-2026-08-21`,
    message: /supports text blocks only/,
  },
  {
    name: '§1.10.3: an effort on a turn-scoped message',
    body: requestOf({
      messages: [user('x'), system('y', { clear_at: 'next_user_message', output_config: { effort: 'low' } })],
    }),
    betas: 'per-turn-control-2026-07-01,mid-conversation-system-clear-at-2026-08-21',
    message: /^messages\.1: output_config is not permitted on a turn-scoped system message/,
  },
  {
    name: '§1.10.3: an unknown clear_at',
    body: requestOf({ messages: [user('x'), system('y', { clear_at: 'later' })] }),
    betas: 'mid-conversation-system-clear-at-2026-08-21',
    message: "messages.1.clear_at: Input should be 'next_user_message' or 'never'",
  },
];

describe('a refused request', () => {
  test.each(cases)('$name', async ({ body, message, status = 400, betas, detail }) => {
    await using running = await startSimulator();
    const reply = await running.send(body, betas === undefined ? {} : { 'anthropic-beta': betas });
    expect(reply.json).toMatchObject({
      type: 'error',
      error: {
        type: status === 404 ? 'not_found_error' : 'invalid_request_error',
        message: message instanceof RegExp ? expect.stringMatching(message) : message,
      },
    });
    expect(reply.status).toBe(status);
    expect(reply.json.error.details?.error_code).toBe(detail);
    expect(reply.json.request_id).toBe(reply.headers.get('request-id'));
    expect(running.last()).toMatchObject({
      status,
      usage: null,
      cost: null,
      error: { message: reply.json.error.message },
    });
  });

  test('row 21: a prompt longer than the window', async () => {
    await using running = await startSimulator({ countTokens: (value) => value.length });
    const reply = await running.send(requestOf({ messages: [user('x'.repeat(600_000))] }));
    expect(reply.json.error.message).toBe('prompt is too long: 1014000 tokens > 1000000 maximum');
  });

  test('row 22: prompt and answer longer than the window of an old model', async () => {
    await using running = await startSimulator({ countTokens: (value) => value.length });
    const body = requestOf({
      model: 'claude-opus-4-1',
      max_tokens: 32_000,
      messages: [user('x'.repeat(100_000))],
    });
    const reply = await running.send(body);
    expect(reply.json.error.message).toMatch(
      /^input length and `max_tokens` exceed context limit: 169000 \+ 32000 > 200000/,
    );
  });

  test('a body that is not JSON', async () => {
    await using running = await startSimulator();
    const reply = await running.send('{"model": ');
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toMatch(/^The request body is not valid JSON/);
  });

  test('count_tokens refuses the same, and max_tokens on top', async () => {
    await using running = await startSimulator();
    const allDeferred = { model: 'claude-opus-5-5', messages: [user('x')], tools: [tool('a', deferred)] };
    const reply = await running.send(allDeferred, {}, '/v1/messages/count_tokens');
    expect(reply.json.error.message).toMatch(/^At least one tool must have defer_loading=false/);
    const sampling = await running.send(requestOf(), {}, '/v1/messages/count_tokens');
    expect(sampling.json.error.message).toBe('max_tokens: Extra inputs are not permitted');
  });
});

const accepted: readonly (readonly [title: string, body: Changes, betas?: string])[] = [
  ['max_tokens of 0 to warm the cache', requestOf({ max_tokens: 0 })],
  [
    'four marks, 1 h before 5 m',
    requestOf({
      tools: [tool('a', mark('1h'))],
      system: [text('s', mark('1h')), text('t', mark())],
      messages: [user([text('x', mark())])],
    }),
  ],
  [
    'an automatic mark on a block that has the same',
    requestOf({ ...mark(), messages: [user([text('x', mark())])] }),
  ],
  ['rule 5: consecutive user messages', requestOf({ messages: [user('x'), user('y')] })],
  [
    'rule 5: results and text in two user messages',
    history(user('x'), assistant([call]), user([result]), user('y')),
  ],
  [
    'rule 5: a search, its result and a call in one turn',
    history(user('x'), assistant([searchCall, searchResult('a'), call]), user([result])),
  ],
  [
    'rule 5: a prefill on an old model',
    requestOf({ model: 'claude-haiku-4-5', messages: [user('x'), assistant('y')] }),
  ],
  ['rule 5: a paused turn sent back', history(user('x'), assistant([searchCall, searchResult('a')]))],
  [
    'row 23: a system message after the prompt',
    requestOf({ messages: [user('x'), system('y'), assistant('z'), user('w')] }),
  ],
  [
    'row 23: a system message after a paused turn',
    history(user('x'), assistant([searchCall, searchResult('a')]), system('y')),
  ],
  ['row 23: two system messages in a row', requestOf({ messages: [user('x'), system('y'), system('z')] })],
  [
    '§1.10.4: an effort alone, anywhere',
    requestOf({
      messages: [user('x'), assistant('y'), system([], { output_config: { effort: 'low' } }), user('z')],
    }),
    'per-turn-control-2026-07-01',
  ],
  [
    'betas of a later date',
    requestOf({ context_management: { edits: [] } }),
    'context-management-2099-01-01',
  ],
  ['a beta that nobody knows', requestOf(), 'martian-2026-01-01'],
  [
    'row 24: an inline definition',
    requestOf({
      tools: [tool('a'), bm25],
      messages: [
        user('x'),
        system([{ type: 'tool_addition', tool: { type: 'tool_definition', definition: tool('b') } }]),
      ],
    }),
    'inline-tools-2026-09-15',
  ],
  [
    'rule 3: a forced tool that a search has loaded',
    requestOf({
      model: 'claude-opus-5',
      tools: [tool('a', deferred), bm25],
      tool_choice: { type: 'tool', name: 'a' },
      messages: [user('x'), assistant([searchCall, searchResult('a')]), user('y')],
    }),
  ],
  [
    'rule 3: a forced server tool',
    requestOf({
      model: 'claude-opus-5',
      tools: [{ type: 'web_search_20260318', name: 'web_search' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    }),
  ],
  [
    'server tools beside client tools',
    requestOf({
      tools: [
        tool('a'),
        { type: 'web_search_20260318', name: 'web_search' },
        { type: 'bash_20250124', name: 'bash' },
      ],
    }),
  ],
];

describe('an accepted request', () => {
  const named = accepted.map(([title, body, betas]) => ({ title, body, betas }));
  test.each(named)('$title', async ({ body, betas }) => {
    await using running = await startSimulator();
    const reply = await running.send(body, betas === undefined ? {} : { 'anthropic-beta': betas });
    expect(reply.json.error).toBeUndefined();
    expect(reply.status).toBe(200);
  });
});
