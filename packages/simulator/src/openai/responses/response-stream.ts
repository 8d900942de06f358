import { hash } from 'node:crypto';
import { eventStream, piecesOf, spoilStream } from '../../event-stream.ts';
import type { EventStream, StreamDialect } from '../../event-stream.ts';
import type { Fault } from '../../faults.ts';
import { isObject, objectsIn } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { failedJson } from './response-json.ts';

interface StreamEvent extends JsonObject {
  readonly type: string;
}

const textPieceLength = 12;
const jsonPieceLength = 15;
const obfuscationLength = 16;

/** The events of a response in the order of §2.3 (rule 6), with what a fault does to them. */
export function streamResponse(
  { opening, whole }: { readonly opening: JsonObject; readonly whole: JsonObject },
  fault: Fault | undefined,
  body: JsonObject,
): EventStream {
  const options = isObject(body['stream_options']) ? body['stream_options'] : {};
  const events: readonly StreamEvent[] = [
    { type: 'response.created', response: opening },
    { type: 'response.in_progress', response: opening },
    ...objectsIn(whole['output']).flatMap(itemEvents),
    { type: `response.${String(whole['status'])}`, response: whole },
  ];
  const isPadded = options['include_obfuscation'] !== false;
  const records = events.map((event, index) => recordOf(isPadded ? pad(event, index) : event, index));
  return spoilStream(eventStream(records), fault, dialectOf(opening));
}

/** An item from its start to its end; a search's comes whole with either. */
function itemEvents(item: JsonObject, index: number): readonly StreamEvent[] {
  const place = { item_id: item['id'], output_index: index };
  const { empty, events } = takeApart(item, place);
  return [
    { type: 'response.output_item.added', output_index: index, item: empty },
    ...events,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

type ItemPlace = Readonly<Record<'item_id' | 'output_index', unknown>>;

function takeApart(
  item: JsonObject,
  place: ItemPlace,
): { readonly empty: JsonObject; readonly events: readonly StreamEvent[] } {
  const begun = { ...item, status: 'in_progress' };
  switch (item['type']) {
    case 'message':
      return {
        empty: { ...begun, content: [] },
        events: objectsIn(item['content']).flatMap((part, at) =>
          partEvents(part, { ...place, content_index: at }),
        ),
      };
    case 'reasoning':
      return {
        empty: { ...item, summary: [] },
        events: objectsIn(item['summary']).flatMap((part, at) =>
          summaryEvents(part, { ...place, summary_index: at }),
        ),
      };
    case 'function_call':
      return {
        empty: { ...begun, arguments: '' },
        events: textEvents('response.function_call_arguments', place, {
          text: String(item['arguments']),
          length: jsonPieceLength,
          whole: { arguments: item['arguments'], name: item['name'] },
        }),
      };
    case 'custom_tool_call':
      return {
        empty: { ...begun, input: '' },
        events: textEvents('response.custom_tool_call_input', place, {
          text: String(item['input']),
          length: textPieceLength,
          whole: { input: item['input'] },
        }),
      };
    case 'tool_search_call':
      return { empty: { ...begun, arguments: {} }, events: [] };
    case 'tool_search_output':
      return { empty: { ...begun, tools: [] }, events: [] };
    default:
      return { empty: begun, events: [] };
  }
}

function partEvents(part: JsonObject, place: JsonObject): readonly StreamEvent[] {
  const isRefusal = part['type'] === 'refusal';
  const text = String(isRefusal ? part['refusal'] : part['text']);
  const logprobs = isRefusal ? {} : { logprobs: [] };
  return [
    {
      type: 'response.content_part.added',
      ...place,
      part: isRefusal ? { ...part, refusal: '' } : { ...part, text: '' },
    },
    ...textEvents(
      isRefusal ? 'response.refusal' : 'response.output_text',
      { ...place, ...logprobs },
      {
        text,
        length: textPieceLength,
        whole: isRefusal ? { refusal: text } : { text },
      },
    ),
    { type: 'response.content_part.done', ...place, part },
  ];
}

function summaryEvents(part: JsonObject, place: JsonObject): readonly StreamEvent[] {
  const text = String(part['text']);
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...textEvents('response.reasoning_summary_text', place, {
      text,
      length: textPieceLength,
      whole: { text },
    }),
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

/** A text in pieces, then whole. */
function textEvents(
  type: string,
  place: JsonObject,
  { text, length, whole }: { readonly text: string; readonly length: number; readonly whole: JsonObject },
): readonly StreamEvent[] {
  return [
    ...piecesOf(text, length).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
    { type: `${type}.done`, ...place, ...whole },
  ];
}

/** Padding that hides how long a piece is; clients ignore it. */
function pad(event: StreamEvent, index: number): StreamEvent {
  if (!event.type.endsWith('.delta')) return event;
  return {
    ...event,
    obfuscation: hash('sha1', `${index}`).slice(0, obfuscationLength - (index % obfuscationLength)),
  };
}

function dialectOf(opening: JsonObject): StreamDialect {
  return {
    isDelta: (record) => /^event: \S+\.delta\n/.test(record),
    closingRecords: 1,
    errorRecord: ({ errorType, message }, index) =>
      recordOf(
        {
          type: 'error',
          code: errorType ?? 'server_error',
          message: message ?? 'The server had an error while processing your request. Sorry about that!',
          param: null,
        },
        index,
      ),
    failedRecord: (fault, index) =>
      recordOf({ type: 'response.failed', response: failedJson(opening, fault) }, index),
    strange: {
      badjson: ['event: response.output_text.delta\ndata: {"type":"response.output_text.del\n\n'],
      badevent: ['event: response.martian\ndata: {"type":"response.martian","x":1}\n\n'],
      badblock: [
        'event: response.output_item.added\ndata: {"type":"response.output_item.added","output_index":50,"item":{"type":"martian","id":"mars_1"}}\n\n',
        'event: response.output_item.done\ndata: {"type":"response.output_item.done","output_index":50,"item":{"type":"martian","id":"mars_1"}}\n\n',
      ],
    },
  };
}

function recordOf({ type, ...members }: StreamEvent, index: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...members })}\n\n`;
}
