import type { Model, TokenCounts } from '@quartermaster/catalog';
import { priceRequest } from '@quartermaster/catalog';
import { localTools } from './tools.ts';
import type { Task, ToolInput } from './task.ts';

/** How one task went. */
export interface Outcome {
  readonly isRight: boolean;
  /** Model responses. */
  readonly turns: number;
  readonly tokens: TokenCounts;
  readonly usd: number;
  /** Why it ended early; `undefined` where the model gave an answer, right or wrong. */
  readonly failure: string | undefined;
}

/** Where and how the model is asked. */
export interface Line {
  /** Of the gateway, for Anthropic clients. */
  readonly url: URL;
  /** `x-api-key` or `authorization`, and what else the provider wants. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: Model;
  readonly session: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: ToolInput;
}

interface Answer {
  readonly content: readonly Block[];
  readonly usage: Readonly<Record<string, unknown>>;
}

const maxTurns = 15;
const noTokens: TokenCounts = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteShortTokens: 0,
  cacheWriteLongTokens: 0,
  outputTokens: 0,
};
const system =
  'You do small jobs with the tools that you have. Use a tool for every step of the work. ' +
  'When you are done, end with one line that holds ANSWER: and then the answer alone, without a unit.';

/** Lets the model do one task, and runs its tools here. Rejects only where the provider can't be reached. */
export async function converse(task: Task, line: Line): Promise<Outcome> {
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: task.prompt }];
  let tokens = noTokens;
  let usd = 0;
  for (let turns = 1; turns <= maxTurns; turns += 1) {
    const answer = await ask(line, messages);
    if (typeof answer === 'string') return { isRight: false, turns, tokens, usd, failure: answer };
    const billed = tokensOf(answer.usage);
    tokens = addTokens(tokens, billed);
    usd += priceRequest(line.model, billed).totalUsd;
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) {
      return { isRight: answerIn(answer.content) === task.answer, turns, tokens, usd, failure: undefined };
    }
    messages.push(
      { role: 'assistant', content: answer.content },
      { role: 'user', content: calls.map(runCall) },
    );
  }
  return { isRight: false, turns: maxTurns, tokens, usd, failure: `no answer after ${maxTurns} turns` };
}

async function ask(line: Line, messages: readonly object[]): Promise<Answer | string> {
  const response = await fetch(new URL('v1/messages', line.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-claude-code-session-id': line.session,
      ...line.headers,
    },
    body: JSON.stringify({
      model: line.model.id,
      max_tokens: 4_096,
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      tools: localTools.map(({ declaration }) => declaration),
      messages: withMark(messages),
    }),
  });
  const text = await response.text();
  if (response.status !== 200) return `the provider answered ${response.status}`;
  return JSON.parse(text) as Answer;
}

/** The newest message is marked, as agents do. */
function withMark(messages: readonly object[]): readonly object[] {
  return messages.map((message, index) => {
    if (index < messages.length - 1 || !('content' in message)) return message;
    const { content } = message;
    const blocks = Array.isArray(content) ? (content as object[]) : [{ type: 'text', text: content }];
    const last = { ...blocks.at(-1), cache_control: { type: 'ephemeral' } };
    return { ...message, content: [...blocks.slice(0, -1), last] };
  });
}

function runCall({ id, name, input }: Block): object {
  const tool = localTools.find(({ declaration }) => declaration.name === name);
  const content = tool === undefined ? `there is no tool ${name}` : tool.run(input ?? {});
  return { type: 'tool_result', tool_use_id: id, content };
}

function answerIn(content: readonly Block[]): string | undefined {
  const text = content.map((block) => block.text ?? '').join('\n');
  return /ANSWER:\s*(.+?)\s*\.?\s*$/i.exec(text)?.[1];
}

function tokensOf(usage: Readonly<Record<string, unknown>>): TokenCounts {
  const split = (usage['cache_creation'] ?? {}) as Readonly<Record<string, unknown>>;
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
  const long = count(split['ephemeral_1h_input_tokens']);
  return {
    inputTokens: count(usage['input_tokens']),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteShortTokens: count(usage['cache_creation_input_tokens']) - long,
    cacheWriteLongTokens: long,
    outputTokens: count(usage['output_tokens']),
  };
}

/** The sum, figure by figure. */
export function addTokens(left: TokenCounts, right: TokenCounts): TokenCounts {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteShortTokens: left.cacheWriteShortTokens + right.cacheWriteShortTokens,
    cacheWriteLongTokens: left.cacheWriteLongTokens + right.cacheWriteLongTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
}
