// A program as people write it with @anthropic-ai/sdk: asks, runs the tools that the model calls, and asks again.
import process from 'node:process';
import type { Anthropic } from '@anthropic-ai/sdk';
import { importFrom, programTools, readSession, runTool, writeSession } from './task.ts';
import type { ProgramTask } from './task.ts';

const task = JSON.parse(process.argv[2] ?? '') as ProgramTask;
const sdk = (await importFrom(task.sdkFolder, '@anthropic-ai/sdk')) as { Anthropic: typeof Anthropic };
const client = new sdk.Anthropic({ apiKey: 'sk-ant-dummy', baseURL: task.baseUrl });
const messages = (await readSession(task.sessionFile)) as Anthropic.MessageParam[];
messages.push({ role: 'user', content: task.prompt });
let answer = await ask();
while (answer.stop_reason === 'tool_use') {
  messages.push({ role: 'user', content: await runTools(answer.content) });
  answer = await ask();
}
await writeSession(task.sessionFile, messages);

async function ask(): Promise<Anthropic.Message> {
  const stream = client.messages.stream({
    model: task.model,
    max_tokens: 4_000,
    thinking: { type: 'adaptive' },
    system: 'You help in a warehouse. You use tools where they help.',
    tools: programTools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    messages,
  });
  const message = await stream.finalMessage();
  messages.push({ role: 'assistant', content: message.content });
  for (const block of message.content) process.stdout.write(`${JSON.stringify(block)}\n`);
  return message;
}

function runTools(content: readonly Anthropic.ContentBlock[]): Promise<Anthropic.ToolResultBlockParam[]> {
  const calls = content.filter((block) => block.type === 'tool_use');
  return Promise.all(
    calls.map(async ({ id, name, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: await runTool(name, input as Readonly<Record<string, unknown>>),
    })),
  );
}
