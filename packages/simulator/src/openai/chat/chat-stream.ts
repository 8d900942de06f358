import { eventStream, piecesOf, spoilStream } from '../../event-stream.ts';
import type { EventStream, StreamDialect } from '../../event-stream.ts';
import type { Fault } from '../../faults.ts';
import { isObject, objectsIn, without } from '../../json.ts';
import type { JsonObject } from '../../json.ts';

/** A completion that is about to be streamed. */
interface Completion {
  readonly completion: JsonObject;
  readonly message: JsonObject;
  readonly finishReason: string;
  readonly usage: JsonObject;
}

const textPieceLength = 12;
const jsonPieceLength = 15;
const done = 'data: [DONE]\n\n';

/** The chunks of a completion (§2.4), with what a fault does to them. The usage comes last, if it is asked for. */
export function streamChat(whole: Completion, fault: Fault | undefined, body: JsonObject): EventStream {
  const options = isObject(body['stream_options']) ? body['stream_options'] : {};
  const hasUsage = options['include_usage'] === true;
  const base = { ...without(whole.completion, 'choices', 'usage'), object: 'chat.completion.chunk' };
  const chunkOf = (delta: JsonObject, finishReason: string | null = null): string =>
    record({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(hasUsage ? { usage: null } : {}),
    });
  const records = [
    chunkOf({ role: 'assistant', content: whole.message['content'] === null ? null : '', refusal: null }),
    ...deltasOf(whole.message).map((delta) => chunkOf(delta)),
    chunkOf({}, whole.finishReason),
    ...(hasUsage ? [record({ ...base, choices: [], usage: whole.usage })] : []),
    done,
  ];
  return spoilStream(eventStream(records), fault, dialectOf(base, hasUsage ? 3 : 2));
}

function deltasOf(message: JsonObject): readonly JsonObject[] {
  return [
    ...textDeltas(message, 'content'),
    ...textDeltas(message, 'refusal'),
    ...objectsIn(message['tool_calls']).flatMap(callDeltas),
  ];
}

function textDeltas(message: JsonObject, key: 'content' | 'refusal'): readonly JsonObject[] {
  const text = message[key];
  if (typeof text !== 'string') return [];
  return piecesOf(text, textPieceLength).map((piece) => ({ [key]: piece }));
}

/** Id and name come with the first delta of a call's index only. */
function callDeltas(call: JsonObject, index: number): readonly JsonObject[] {
  const type = String(call['type']);
  const named = isObject(call[type]) ? call[type] : {};
  const key = type === 'custom' ? 'input' : 'arguments';
  return [
    { tool_calls: [{ index, ...call, [type]: { ...named, [key]: '' } }] },
    ...piecesOf(String(named[key]), jsonPieceLength).map((piece) => ({
      tool_calls: [{ index, [type]: { [key]: piece } }],
    })),
  ];
}

function dialectOf(base: JsonObject, closingRecords: number): StreamDialect {
  const errorRecord = ({ errorType, message }: Fault): string =>
    record({
      error: {
        message: message ?? 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
        param: null,
        code: errorType ?? null,
      },
    });
  return {
    isDelta: (text) => /"(?:content|refusal|arguments|input)":"[^"]/.test(text),
    closingRecords,
    errorRecord,
    failedRecord: errorRecord,
    strange: {
      badjson: ['data: {"id":"chatcmpl-\n\n'],
      badevent: [record({ ...base, object: 'martian', choices: [] })],
      badblock: [record({ ...base, choices: [{ index: 0, delta: { martian: 1 }, finish_reason: null }] })],
    },
  };
}

function record(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
