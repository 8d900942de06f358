import { randomUUID } from 'node:crypto';

/** One block of an answer, as the client sends it back. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** What the client tells of its requests while they run. */
export interface Watch {
  /** A request is about to be sent. */
  onRequest(body: string): void;
  /** So many bytes of an answer have come. */
  onBytes(count: number): void;
}

/**
 * A client that streams the way Claude Code does and sends a request again until an answer is whole: after a refused
 * connection, a cut stream, a 5xx. What came of a cut answer is thrown away.
 */
export interface StreamingAgent {
  readonly session: string;
  /** How many requests were sent again. */
  readonly retries: number;
  turn(prompt: string): Promise<void>;
}

export interface StreamingAgentOptions {
  readonly baseUrl: string;
  readonly tools: readonly object[];
  readonly watch: Watch;
  /** Asked for each request: how the provider cuts its stream. */
  readonly chunking: () => string;
  /** Resolves when it is worth while to try again. */
  readonly whenBack: () => Promise<void>;
}

const maxTries = 12;
const mark = { cache_control: { type: 'ephemeral' } } as const;

export function createStreamingAgent(options: StreamingAgentOptions): StreamingAgent {
  const session = randomUUID();
  const messages: Message[] = [];
  let retries = 0;

  async function answer(): Promise<readonly Block[]> {
    const body = printBody(session, messages, options.tools);
    for (let tries = 1; tries <= maxTries; tries += 1) {
      try {
        return await send(body);
      } catch (error) {
        if (error instanceof RefusedRequest || tries === maxTries) throw error;
        retries += 1;
        await options.whenBack();
      }
    }
    throw new Error('unreachable');
  }

  async function send(body: string): Promise<readonly Block[]> {
    options.watch.onRequest(body);
    const response = await fetch(`${options.baseUrl}/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'sk-test',
        'x-claude-code-session-id': session,
        'x-simulator-chunking': options.chunking(),
      },
      body,
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      options.watch.onBytes(chunk.length);
    }
    if (response.status >= 500) throw new Error(`answered ${response.status}`);
    if (response.status !== 200) throw new RefusedRequest(text);
    return blocksOfStream(text);
  }

  return {
    session,
    get retries() {
      return retries;
    },
    async turn(prompt) {
      messages.push({ role: 'user', content: prompt });
      if (messages.length === 1) messages.push({ role: 'system', content: '# Environment' });
      for (;;) {
        const content = await answer();
        messages.push({ role: 'assistant', content });
        const calls = content.filter(({ type }) => type === 'tool_use');
        if (calls.length === 0) return;
        messages.push({ role: 'user', content: calls.map(resultOf) });
      }
    },
  };
}

/** The provider would not have a request: nothing that a client could repair by sending it again. */
class RefusedRequest extends Error {
  constructor(body: string) {
    super(`expected 200, got ${body}`);
    this.name = 'RefusedRequest';
  }
}

function printBody(session: string, messages: readonly Message[], tools: readonly object[]): string {
  return JSON.stringify({
    model: 'claude-opus-5-5',
    messages: messages.map((message, index) => (index === messages.length - 1 ? withMark(message) : message)),
    system: [
      { type: 'text', text: 'You are a coding agent.' },
      { type: 'text', text: 'Work in small steps. '.repeat(120), ...mark },
    ],
    tools,
    metadata: { user_id: JSON.stringify({ session_id: session }) },
    max_tokens: 1_000,
    thinking: { type: 'adaptive', display: 'omitted' },
    stream: true,
  });
}

function withMark({ role, content }: Message): Message {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    role,
    content: blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...mark } : block)),
  };
}

function resultOf({ id }: Block): Block {
  return { type: 'tool_result', tool_use_id: id, content: 'done' };
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: Block;
  readonly delta?: Partial<Record<'text' | 'thinking' | 'signature' | 'partial_json', string>>;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The blocks of a whole stream; one that lacks its end is an error. */
function blocksOfStream(text: string): readonly Block[] {
  const events = eventsOf(text);
  if (events.at(-1)?.type !== 'message_stop') throw new Error('the stream ended before its end');
  return assemble(events);
}

function eventsOf(text: string): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .flatMap((record) => /^data: (.*)$/m.exec(record)?.[1] ?? [])
    .map((data) => JSON.parse(data) as StreamEvent);
}

function assemble(events: readonly StreamEvent[]): readonly Block[] {
  const blocks: { -readonly [Key in keyof Block]: Block[Key] }[] = [];
  const inputs = new Map<number, string>();
  for (const { type, index = 0, content_block: block, delta = {} } of events) {
    if (type === 'content_block_start' && block !== undefined) blocks[index] = { ...block };
    const open = blocks[index];
    if (type !== 'content_block_delta' || open === undefined) continue;
    const { partial_json: json, ...texts } = delta;
    if (json !== undefined) inputs.set(index, (inputs.get(index) ?? '') + json);
    for (const key of ['text', 'thinking', 'signature'] as const) {
      if (texts[key] !== undefined) open[key] = textIn(open[key]) + texts[key];
    }
  }
  for (const [index, json] of inputs) {
    const block = blocks[index];
    if (block !== undefined) block['input'] = JSON.parse(json === '' ? '{}' : json) as unknown;
  }
  return blocks;
}
