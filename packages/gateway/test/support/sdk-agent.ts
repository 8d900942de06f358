import Anthropic from '@anthropic-ai/sdk';
import { codingTools } from './coding-agent.ts';

type Message = Anthropic.MessageParam;

/** A program on the vendor's own SDK: it streams, and sends back what it was given. */
export interface SdkAgent {
  readonly messages: Message[];
  /** Every content block that it ever saw, in the events of its streams and in the final messages. */
  readonly seen: readonly { readonly type: string }[];
  /** Sends a prompt and answers tool calls until the model ends its turn. */
  turn(prompt: string): Promise<Anthropic.Message>;
}

export function createSdkAgent(
  gateway: URL,
  { streams = true, over = {} }: { readonly streams?: boolean; readonly over?: object } = {},
): SdkAgent {
  const client = new Anthropic({
    apiKey: 'test-key',
    baseURL: new URL('/anthropic', gateway).href,
    maxRetries: 0,
  });
  const messages: Message[] = [];
  const seen: { readonly type: string }[] = [];

  async function ask(): Promise<Anthropic.Message> {
    const body = {
      model: 'claude-opus-5-5',
      max_tokens: 2_000,
      system: 'You are a program.',
      tools: codingTools as Anthropic.ToolUnion[],
      thinking: { type: 'adaptive' },
      messages,
      ...over,
    } as const;
    if (!streams) return client.messages.create(body);
    const stream = client.messages.stream(body);
    stream.on('streamEvent', (event) => {
      if (event.type === 'content_block_start') seen.push(event.content_block);
    });
    return stream.finalMessage();
  }

  return {
    messages,
    seen,
    async turn(prompt) {
      messages.push({ role: 'user', content: prompt });
      for (;;) {
        const answer = await ask();
        seen.push(...answer.content);
        messages.push({ role: 'assistant', content: answer.content });
        const calls = answer.content.filter((block) => block.type === 'tool_use');
        if (calls.length === 0) return answer;
        const results = calls.map(({ id }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: 'ok',
        }));
        messages.push({ role: 'user', content: results });
      }
    },
  };
}
