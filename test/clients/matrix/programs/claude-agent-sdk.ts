// A program as people write it with the Claude Agent SDK: one query, its messages printed as they come.
import process from 'node:process';
import { importFrom } from './task.ts';

/** What the driver hands over, as JSON in the first argument. */
export interface AgentTask {
  /** Where the SDK is installed. */
  readonly sdkFolder: string;
  readonly prompt: string;
  /** Options of the SDK's `query`. */
  readonly options: object;
}

/** As much of the SDK as the program uses. */
interface AgentSdk {
  query(query: { readonly prompt: string; readonly options: object }): AsyncIterable<object>;
}

const { sdkFolder, prompt, options } = JSON.parse(process.argv[2] ?? '') as AgentTask;
const { query } = (await importFrom(sdkFolder, '@anthropic-ai/claude-agent-sdk')) as AgentSdk;
try {
  for await (const message of query({ prompt, options }))
    process.stdout.write(`${JSON.stringify(message)}\n`);
} catch (cause) {
  process.stdout.write(`${JSON.stringify({ type: 'thrown', message: String(cause) })}\n`);
  process.exitCode = 1;
}
