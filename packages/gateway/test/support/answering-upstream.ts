import type { ServerResponse } from 'node:http';
import { codingTools } from './coding-agent.ts';
import { type RunningServer, startServer } from './server.ts';

/** A provider that answers every request in the way a test writes it. */
export async function startAnswering(answer: (response: ServerResponse) => void): Promise<RunningServer> {
  return startServer((request, response) => {
    request.resume();
    request.once('end', () => answer(response));
  });
}

/** A small request of Claude Code's, marked for the cache. */
export function smallRequest(over: object = {}): {
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  return {
    headers: { 'content-type': 'application/json', 'x-claude-code-session-id': 'small' },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 100,
      tools: codingTools.slice(0, 2),
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }],
        },
      ],
      ...over,
    }),
  };
}

/** An event of a stream as the API spells it. */
export function sse(type: string, members: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** A search in a stream: the call in pieces, and its result. */
export function searchEvents(index: number, found: readonly string[] | undefined): string {
  const id = `srvtoolu_${index}`;
  const call = { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', input: {} };
  const result = {
    type: 'tool_search_tool_result',
    tool_use_id: id,
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: (found ?? []).map((name) => ({ type: 'tool_reference', tool_name: name })),
    },
  };
  return [
    sse('content_block_start', { index, content_block: call }),
    sse('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: '{"query":' } }),
    sse('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: '"Alpha"}' } }),
    sse('content_block_stop', { index }),
    ...(found === undefined
      ? []
      : [
          sse('content_block_start', { index: index + 1, content_block: result }),
          sse('content_block_stop', { index: index + 1 }),
        ]),
  ].join('');
}
