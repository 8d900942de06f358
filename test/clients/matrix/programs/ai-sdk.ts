// A program as people write it with the AI SDK and its Anthropic provider: one `streamText` that runs tools by itself.
import process from 'node:process';
import { importFrom, programTools, readSession, runTool, writeSession } from './task.ts';
import type { ProgramTask } from './task.ts';

/** As much of `ai` as the program uses. */
interface AiModule {
  streamText(options: object): {
    readonly fullStream: AsyncIterable<{ readonly type: string; readonly error?: unknown }>;
    readonly responseMessages: PromiseLike<readonly unknown[]>;
  };
  tool(definition: object): object;
  jsonSchema(schema: object): object;
  isStepCount(count: number): unknown;
}

interface AnthropicModule {
  createAnthropic(options: { readonly apiKey: string; readonly baseURL: string }): (model: string) => unknown;
}

/** Parts that come as the network cuts them, so that their number says nothing. */
const deltas = ['text-delta', 'reasoning-delta', 'tool-input-delta', 'raw'];

const task = JSON.parse(process.argv[2] ?? '') as ProgramTask;
const ai = (await importFrom(task.sdkFolder, 'ai')) as AiModule;
const { createAnthropic } = (await importFrom(task.sdkFolder, '@ai-sdk/anthropic')) as AnthropicModule;
const anthropic = createAnthropic({ apiKey: 'sk-ant-dummy', baseURL: `${task.baseUrl}/v1` });
const messages = [...(await readSession(task.sessionFile)), { role: 'user', content: task.prompt }];

const result = ai.streamText({
  model: anthropic(task.model),
  system: 'You help in a warehouse. You use tools where they help.',
  messages,
  tools: Object.fromEntries(
    programTools.map(({ name, description, inputSchema }) => [
      name,
      ai.tool({
        description,
        inputSchema: ai.jsonSchema(inputSchema),
        execute: (input: Readonly<Record<string, unknown>>) => runTool(name, input),
      }),
    ]),
  ),
  stopWhen: ai.isStepCount(12),
  providerOptions: { anthropic: { thinking: { type: 'adaptive' } } },
  // Errors are parts of the stream; by default they are also printed.
  onError: () => {},
});
for await (const part of result.fullStream) {
  if (part.type === 'error') process.exitCode = 1;
  const line = part.type === 'error' ? { type: 'error', error: String(part.error) } : part;
  if (!deltas.includes(part.type)) process.stdout.write(`${JSON.stringify(line)}\n`);
}
await result.responseMessages.then(
  (answers) => writeSession(task.sessionFile, [...messages, ...answers]),
  () => {},
);
