import { eventStream, piecesOf, spoilStream } from '../event-stream.ts';
import type { EventStream, StreamDialect } from '../event-stream.ts';
import type { Fault } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import type { BilledTurn } from './billed-turn.ts';
import { closingUsage } from './usage.ts';

const textPieceLength = 12;
const jsonPieceLength = 15;

/** The events of a reply in the order of §1.7, with what a fault does to them. */
export function streamOf(reply: BilledTurn, fault: Fault | undefined): EventStream {
  const records = [
    record('message_start', {
      message: { ...reply.message, content: [], stop_reason: null, usage: reply.firstUsage },
    }),
    record('ping', {}),
    ...reply.blocks.flatMap(blockRecords),
    record('message_delta', {
      delta: { stop_reason: reply.message['stop_reason'], stop_sequence: null },
      usage: closingUsage(reply.usage),
    }),
    record('message_stop', {}),
  ];
  return spoilStream(eventStream(records), fault, dialect);
}

const strangeIndex = 50;

const dialect: StreamDialect = {
  isDelta: (text) => text.startsWith('event: content_block_delta'),
  closingRecords: 2,
  errorRecord,
  failedRecord: errorRecord,
  strange: {
    badjson: [
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_d\n\n',
    ],
    badevent: [record('martian_event', { x: 1 })],
    badblock: [
      record('content_block_start', {
        index: strangeIndex,
        content_block: { type: 'martian_block', foo: 1 },
      }),
      record('content_block_delta', { index: strangeIndex, delta: { type: 'martian_delta', foo: 2 } }),
      record('content_block_stop', { index: strangeIndex }),
    ],
  },
};

function errorRecord({ errorType = 'overloaded_error', message = 'Overloaded' }: Fault): string {
  return record('error', { error: { type: errorType, message } });
}

/** A block in pieces; a result comes whole with its start. */
function blockRecords(block: JsonObject, index: number): readonly string[] {
  const { start, deltas } = takeApart(block);
  return [
    record('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => record('content_block_delta', { index, delta })),
    record('content_block_stop', { index }),
  ];
}

function takeApart(block: JsonObject): {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
} {
  switch (block['type']) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: piecesOf(String(block['text']), textPieceLength).map((text) => ({
          type: 'text_delta',
          text,
        })),
      };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...piecesOf(String(block['thinking']), textPieceLength).map((thinking) => ({
            type: 'thinking_delta',
            thinking,
          })),
          { type: 'signature_delta', signature: block['signature'] },
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: ['', ...inputPieces(block)].map((json) => ({ type: 'input_json_delta', partial_json: json })),
      };
    default:
      return { start: block, deltas: [] };
  }
}

/** An empty input is told by its start alone: `""` in total means `{}`. */
function inputPieces(block: JsonObject): readonly string[] {
  const text = JSON.stringify(block['input']);
  return text === '{}' ? [] : piecesOf(text, jsonPieceLength);
}

function record(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
