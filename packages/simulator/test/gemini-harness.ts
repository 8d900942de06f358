import { GoogleGenAI } from '@google/genai';
import type { Loose, Reply, Running } from './harness.ts';

/** The vendor's own client against the simulator. */
export function geminiOf(running: Running, apiKey = 'test-key'): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: running.url } });
}

/** A POST with a key to a method of a model. */
export async function sendGemini(
  running: Running,
  target: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const reply = await fetch(`${running.url}/v1beta/models/${target}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'test-key', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.includes('json') === true;
  return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** A function as the API declares it. */
export function declaration(name: string, changes: Record<string, unknown> = {}): Loose {
  return {
    name,
    description: `The tool ${name}.`,
    parametersJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
    ...changes,
  };
}
