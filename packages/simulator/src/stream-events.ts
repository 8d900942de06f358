import type { Fault } from './faults.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';

/** A stream as it goes out: whole SSE records, and how it ends. */
export interface EventStream {
  readonly records: readonly string[];
  readonly ending: 'end' | 'destroy';
}

const textPieceLength = 12;
const jsonPieceLength = 15;

/** The events of a reply in the order of §1.7, with what a fault does to them. */
export function streamOf(reply: Reply, fault: Fault | undefined): EventStream {
  const records = [
    record('message_start', {
      message: { ...reply.message, content: [], stop_reason: null, usage: reply.firstUsage },
    }),
    record('ping', {}),
    ...reply.blocks.flatMap(blockRecords),
    record('message_delta', {
      delta: { stop_reason: reply.message['stop_reason'], stop_sequence: null },
      usage: reply.usage,
    }),
    record('message_stop', {}),
  ];
  return fault === undefined ? { records, ending: 'end' } : spoil(records, fault);
}

function spoil(records: readonly string[], fault: Fault): EventStream {
  const cut = records.findIndex((text) => text.startsWith('event: content_block_delta')) + 1;
  const opening = records.slice(0, cut);
  const rest = records.slice(cut);
  const error = record('error', { error: { type: fault.errorType, message: fault.message ?? 'Overloaded' } });
  switch (fault.kind) {
    case 'empty':
      return { records: [], ending: 'end' };
    case 'dropfirst':
      return { records: [], ending: 'destroy' };
    case 'errfirst':
      return { records: [error], ending: 'end' };
    case 'errevent':
      return { records: [...opening, error], ending: 'end' };
    case 'drop':
      return { records: opening, ending: 'destroy' };
    case 'fin':
      return { records: opening, ending: 'end' };
    case 'nostop':
      return { records: records.slice(0, -2), ending: 'end' };
    default:
      return { records: [...opening, ...strangeRecords(fault), ...rest], ending: 'end' };
  }
}

/** Records that no client expects: broken JSON, an unknown event, an unknown block. */
function strangeRecords({ kind }: Fault): readonly string[] {
  if (kind === 'badjson') {
    return [
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_d\n\n',
    ];
  }
  if (kind === 'badevent') return [record('martian_event', { x: 1 })];
  const index = 50;
  return [
    record('content_block_start', { index, content_block: { type: 'martian_block', foo: 1 } }),
    record('content_block_delta', { index, delta: { type: 'martian_delta', foo: 2 } }),
    record('content_block_stop', { index }),
  ];
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

/** Cuts between code points, never inside one. */
function piecesOf(text: string, length: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}

function record(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
