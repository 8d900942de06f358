import http from 'node:http';
import process from 'node:process';
import { announce } from './announce.ts';

/** The provider of the bench: reads a request to its end and gives a fixed answer, JSON or server-sent events. */
const head = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude-opus-5-5' };
const ending = { stop_reason: 'end_turn', stop_sequence: null };

/** As a warm cache is billed. Without the split by life no ledger could book a request with cache marks. */
const usage = {
  input_tokens: 3,
  output_tokens: 9,
  cache_read_input_tokens: 24_000,
  cache_creation_input_tokens: 800,
  cache_creation: { ephemeral_5m_input_tokens: 800, ephemeral_1h_input_tokens: 0 },
};

const answer = JSON.stringify({
  ...head,
  content: [{ type: 'text', text: 'A fixed answer of the bench.' }],
  ...ending,
  usage,
});

const deltas = Array.from({ length: 12 }, (_, index) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: `piece ${index} of a fixed answer; ` },
}));

const events = [
  { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...deltas,
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: ending, usage: { output_tokens: usage.output_tokens } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

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
  const pieces = events.values();
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
