import OpenAI from 'openai';
import type { Loose, Reply, Running } from './harness.ts';

/** The vendor's own client against the simulator: what it accepts is what the API's types say. */
export function openaiOf(running: Running, apiKey = 'test-key'): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${running.url}/v1`, maxRetries: 0, logLevel: 'off' });
}

/** A POST with a bearer token and nothing of Anthropic's. */
export async function sendOpenai(
  running: Running,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const reply = await fetch(running.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.includes('json') === true;
  return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** A Responses request that is accepted as it is; `changes` replace members. */
export function responsesRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'gpt-5.6-sol', input: 'hello', ...changes };
}

export function functionTool(name: string, changes: Record<string, unknown> = {}): Loose {
  return {
    type: 'function',
    name,
    description: `The tool ${name}.`,
    strict: false,
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
    ...changes,
  };
}

/** The data of the events of an SSE body, in order, without the closing word of Chat. */
export function dataOf(text: string): Loose[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

/** A function as Chat declares it. */
export function chatTool(name: string, changes: Record<string, unknown> = {}): Loose {
  const { type: _, strict: __, ...definition } = functionTool(name, changes);
  return { type: 'function', function: definition };
}
