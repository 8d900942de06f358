import { randomUUID } from 'node:crypto';
import type { BodyBlock, BodyMessage, BodyTool } from './anthropic-body.ts';
import { tool } from './anthropic-body.ts';

/** A client of ours that speaks Messages the way Claude Code does: same headers, marks and spellings. */
export interface CodingAgent {
  readonly session: string;
  /** The conversation so far; a test may put it back, as a resume does. */
  readonly messages: BodyMessage[];
  /** Sends a prompt and answers tool calls until the model ends its turn. The last answer. */
  turn(prompt: string): Promise<AgentAnswer>;
  /** One request with these messages, and its answer as it came; the conversation stays as it is. */
  request(messages: readonly BodyMessage[], signal?: AbortSignal): Promise<Response>;
}

export interface AgentAnswer {
  readonly status: number;
  readonly content: readonly BodyBlock[];
  readonly error: string | undefined;
}

export interface CodingAgentOptions {
  readonly url: URL;
  /** Default: the gateway's route. */
  readonly path?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly tools?: readonly BodyTool[];
  readonly folder?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly messages?: readonly BodyMessage[];
}

/** Tools of our own making: two protected ones, six of some weight, one light. */
export const codingTools: readonly BodyTool[] = [
  heavyTool('Bash'),
  heavyTool('Read'),
  ...['Calendar', 'Notebook', 'Monitor', 'Planner'].map(heavyTool),
  heavyTool('mcp__crm__find'),
  heavyTool('mcp__crm__merge'),
  tool('Clock'),
];

/** A tool that weighs more than the 200 tokens of RU5. */
export function heavyTool(name: string): BodyTool {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `option_${index}`,
      {
        type: 'string',
        description: `What ${name} is to do in its step number ${index}, in a few words of your own.`,
      },
    ]),
  );
  return tool(name, { description: `Works on ${name}.`, input_schema: { type: 'object', properties } });
}

const mark = { cache_control: { type: 'ephemeral' } } as const;

export function createCodingAgent(options: CodingAgentOptions): CodingAgent {
  const { url, model = 'claude-opus-5-5', tools = codingTools, folder = '/home/user/project' } = options;
  const session = options.session ?? randomUUID();
  const messages: BodyMessage[] = [...(options.messages ?? [])];

  function request(sent: readonly BodyMessage[], signal?: AbortSignal): Promise<Response> {
    const body = {
      model,
      messages: spelled(sent),
      system: [
        { type: 'text', text: `x-anthropic-billing-header: cc_version=1; cc_entrypoint=test;` },
        { type: 'text', text: 'You are a coding agent.', ...mark },
        { type: 'text', text: 'Work in small steps. '.repeat(120), ...mark },
      ],
      tools,
      metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: session }) },
      max_tokens: 1_000,
      thinking: { type: 'adaptive', display: 'omitted' },
    };
    return fetch(new URL(options.path ?? '/anthropic/v1/messages?beta=true', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'sk-test',
        'x-claude-code-session-id': session,
        ...(options.agent === undefined ? {} : { 'x-claude-code-agent-id': options.agent }),
        ...options.headers,
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async function send(): Promise<AgentAnswer> {
    const response = await request(messages);
    const answer = (await response.json()) as { content?: BodyBlock[]; error?: { message: string } };
    return { status: response.status, content: answer.content ?? [], error: answer.error?.message };
  }

  return {
    session,
    messages,
    request,
    async turn(prompt) {
      messages.push({ role: 'user', content: prompt });
      if (messages.length === 1) messages.push({ role: 'system', content: environment(folder) });
      for (;;) {
        const answer = await send();
        if (answer.status !== 200) return answer;
        messages.push({ role: 'assistant', content: answer.content });
        const calls = answer.content.filter(({ type }) => type === 'tool_use');
        if (calls.length === 0) return answer;
        messages.push({ role: 'user', content: calls.map(({ id }) => resultOf(id)) });
      }
    },
  };
}

function environment(folder: string): string {
  return `# Environment\n - Primary working directory: ${folder}\n - Platform: linux\n`;
}

function resultOf(id: unknown): BodyBlock {
  return { type: 'tool_result', tool_use_id: id, content: 'ok' };
}

/** The mark stands on the last block of the last message; a message that lost it is a string again. */
function spelled(messages: readonly BodyMessage[]): BodyMessage[] {
  return messages.map((message, index) => (index === messages.length - 1 ? withMark(message) : message));
}

function withMark({ role, content }: BodyMessage): BodyMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    role,
    content: blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...mark } : block)),
  };
}
