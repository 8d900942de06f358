import { describe, expect, test } from 'vitest';
import { startSimulator } from './harness.ts';
import type { Loose } from './harness.ts';
import { chatTool, sendOpenai } from './openai-harness.ts';

const path = '/v1/chat/completions';
const said = { role: 'user', content: 'x' };
const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
const calls = (...list: Loose[]): Loose => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: string): Loose => ({ role: 'tool', tool_call_id: id, content: 'r' });

async function refusalOf(changes: Loose): Promise<Loose> {
  await using running = await startSimulator();
  const { status, json } = await sendOpenai(running, path, {
    model: 'gpt-5.5',
    messages: [said],
    ...changes,
  });
  return status === 200 ? 'accepted' : { status, ...json.error };
}

const invalid = (message: string, code: string | null, param: string): Loose => ({
  status: 400,
  message,
  type: 'invalid_request_error',
  code,
  param,
});
const unknown = (param: string): Loose =>
  invalid(`Unknown parameter: '${param}'.`, 'unknown_parameter', param);

describe('a Chat request', () => {
  test.each<[string, Loose, Loose]>([
    ['an unknown member', { input: 'x' }, unknown('input')],
    [
      'max_tokens on a reasoning model',
      { max_tokens: 10 },
      invalid(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'unsupported_parameter',
        'max_tokens',
      ),
    ],
    [
      'an effort that the model does not take',
      { model: 'gpt-6-astra', reasoning_effort: 'none' },
      invalid(
        "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', 'high', 'xhigh', and 'max'.",
        'unsupported_value',
        'reasoning_effort',
      ),
    ],
    [
      'a tool_choice without tools',
      { tool_choice: 'auto' },
      invalid(
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        null,
        'tool_choice',
      ),
    ],
    [
      'a tool in the shape of Responses',
      { tools: [{ type: 'function', name: 'read' }] },
      invalid(
        "Missing required parameter: 'tools[0].function'.",
        'missing_required_parameter',
        'tools[0].function',
      ),
    ],
    [
      'a deferred tool',
      { tools: [chatTool('read', { defer_loading: true })] },
      unknown('tools[0].function.defer_loading'),
    ],
    [
      'a bad name',
      { tools: [chatTool('a.b')] },
      invalid(
        "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        'invalid_value',
        'tools[0].function.name',
      ),
    ],
    [
      'a bad schema',
      { tools: [chatTool('read', { parameters: { type: 'object' } })] },
      invalid(
        "Invalid schema for function 'read': In context=(), object schema missing properties.",
        'invalid_function_parameters',
        'tools[0].function.parameters',
      ),
    ],
    [
      'a name twice',
      { tools: [chatTool('read'), chatTool('read')] },
      expect.objectContaining({ code: 'invalid_value', param: 'tools' }),
    ],
    [
      'a named tool that there is not',
      { tools: [chatTool('read')], tool_choice: { type: 'function', function: { name: 'nope' } } },
      invalid("Tool choice 'nope' not found in 'tools' parameter.", null, 'tool_choice'),
    ],
  ])('%s is refused', async (_, changes, refusal) => {
    expect(await refusalOf(changes)).toEqual(refusal);
  });

  test.each<[string, Loose[], Loose]>([
    [
      'none at all',
      [],
      invalid(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        'empty_array',
        'messages',
      ),
    ],
    [
      'an unknown role',
      [{ role: 'model', content: 'x' }],
      expect.objectContaining({ code: 'invalid_value', param: 'messages[0].role' }),
    ],
    [
      'an unknown member',
      [said, { role: 'assistant', content: 'x', reasoning_content: 'y' }, said],
      unknown('messages[1].reasoning_content'),
    ],
    [
      'an assistant that says nothing',
      [said, { role: 'assistant', content: null }],
      invalid("Invalid value for 'content': expected a string, got null.", null, 'messages[1].content'),
    ],
    [
      'a call without its result',
      [said, calls(call), said],
      invalid(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
        null,
        'messages.[2].role',
      ),
    ],
    [
      'one of two calls without its result',
      [said, calls(call, { ...call, id: 'call_2' }), result('call_1')],
      expect.objectContaining({ message: expect.stringMatching(/response messages: call_2$/) }),
    ],
    [
      'a result after something else',
      [said, calls(call), said, result('call_1')],
      expect.objectContaining({ message: expect.stringMatching(/response messages: call_1$/) }),
    ],
    [
      'a result without its call',
      [said, result('call_1')],
      invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        null,
        'messages.[1].role',
      ),
    ],
    [
      'a result of another call',
      [said, calls(call), result('call_9')],
      invalid(
        "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous message.",
        null,
        'messages.[2].tool_call_id',
      ),
    ],
  ])('messages: %s is refused', async (_, messages, refusal) => {
    expect(await refusalOf({ messages })).toEqual(refusal);
  });

  test('two calls and their results in any order are accepted', async () => {
    const messages = [said, calls(call, { ...call, id: 'call_2' }), result('call_2'), result('call_1')];
    expect(await refusalOf({ messages })).toBe('accepted');
  });

  test('a prompt that is too long is refused with context_length_exceeded', async () => {
    await using running = await startSimulator({ contextTokens: { 'gpt-5.5': 10 } });
    const messages = [{ role: 'user', content: 'x'.repeat(44) }];
    const { json } = await sendOpenai(running, path, { model: 'gpt-5.5', messages });
    expect(json.error).toEqual({
      message:
        "This model's maximum context length is 10 tokens. However, your messages resulted in 11 tokens. Please reduce the length of the messages.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    });
  });
});
