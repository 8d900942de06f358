import { eventStream, piecesOf, spoilStream } from '../event-stream.ts';
import type { EventStream, StreamDialect } from '../event-stream.ts';
import type { Fault } from '../faults.ts';
import { without } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { gemini } from './vendor.ts';
import type { SpokenParts } from './spoken-parts.ts';

const textPieceLength = 12;

/**
 * A response in chunks, each of which is a response of its own: text in pieces, calls whole, at the end why it ended,
 * what it cost and the signature that a text holds. As server-sent events, or as one JSON array.
 */
export function streamGemini(
  { parts, finishReason }: SpokenParts,
  { body, usage, isSse }: { readonly body: JsonObject; readonly usage: JsonObject; readonly isSse: boolean },
  fault: Fault | undefined,
): EventStream {
  const base = without(body, 'candidates', 'usageMetadata');
  const chunkOf = (part: JsonObject, ending: JsonObject, usageMetadata: JsonObject): JsonObject => ({
    candidates: [{ content: { parts: [part], role: 'model' }, ...ending, index: 0 }],
    usageMetadata,
    ...base,
  });
  const { candidatesTokenCount: _, thoughtsTokenCount: __, ...early } = usage;
  const opening = { ...early, totalTokenCount: usage['promptTokenCount'] };
  const signature = parts.findLast((part) => part['text'] !== undefined)?.['thoughtSignature'];
  const last = { text: '', ...(signature === undefined ? {} : { thoughtSignature: signature }) };
  const chunks = [
    ...parts.flatMap(takeApart).map((part) => chunkOf(part, {}, opening)),
    chunkOf(last, { finishReason }, usage),
  ];
  return spoilStream(isSse ? eventStream(chunks.map(record)) : arrayStream(chunks), fault, dialect);
}

/** A text in pieces, without its signature, which comes at the end; other parts as they are. */
function takeApart(part: JsonObject): readonly JsonObject[] {
  const { text, thoughtSignature: _, ...others } = part;
  if (typeof text !== 'string') return [part];
  return piecesOf(text, textPieceLength).map((piece) => ({ text: piece, ...others }));
}

/** Without `alt=sse` a stream is one array that grows. */
function arrayStream(chunks: readonly JsonObject[]): EventStream {
  const records = chunks.map((chunk, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(chunk)}`);
  return {
    contentType: 'application/json; charset=UTF-8',
    records: [...records.slice(0, -1), `${records.at(-1) ?? '['}]`],
    ending: 'end',
    pauseMs: 0,
  };
}

const dialect: StreamDialect = {
  isDelta: () => true,
  closingRecords: 1,
  errorRecord,
  failedRecord: errorRecord,
  strange: {
    badjson: ['data: {"candidates": [{"content\r\n\r\n'],
    badevent: [record({ martian: 1 })],
    badblock: [record({ candidates: [{ content: { parts: [{ martian: 1 }], role: 'model' }, index: 0 }] })],
  },
};

/** An error in the midst of a stream is no event: it comes as plain JSON. */
function errorRecord({ message }: Fault): string {
  const refusal = {
    status: 503,
    type: 'overloaded_error',
    message: message ?? 'The model is overloaded. Please try again later.',
    detail: undefined,
    param: undefined,
  } as const;
  return JSON.stringify(gemini.errorBody(refusal, ''));
}

function record(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}
