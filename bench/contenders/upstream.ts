import http from 'node:http';
import process from 'node:process';
import { announce } from './announce.ts';

/** The provider of the bench: reads a request to its end and gives a fixed answer, JSON or server-sent events. */
const answer = JSON.stringify({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5-5',
  content: [{ type: 'text', text: 'A fixed answer of the bench.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 25_000,
    output_tokens: 9,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  },
});

const deltas = Array.from({ length: 12 }, (_, index) => {
  const delta = { type: 'text_delta', text: `piece ${index} of a fixed answer; ` };
  return `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`;
});

const streaming = Buffer.from('"stream":true');

const server = http.createServer((request, response) => {
  let isStreaming = false;
  request.on('data', (chunk: Buffer) => (isStreaming ||= chunk.includes(streaming)));
  request.on('end', () => {
    if (isStreaming) return stream(response);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});

/** One write for each event and one turn of the event loop between them, as tokens come. */
function stream(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const pieces = deltas.values();
  const next = (): void => {
    const { value, done } = pieces.next();
    if (done === true) return void response.end();
    response.write(value);
    setImmediate(next);
  };
  next();
}

announce(server);
process.once('SIGTERM', () => process.exit());
