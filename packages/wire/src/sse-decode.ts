import { createLineReader } from './sse-lines.ts';
import type { SseDecoder, SseEvent } from './sse.ts';
import { decodeUtf8 } from './utf8.ts';

/** Options of `createSseDecoder`. */
export interface SseDecoderOptions {
  /** Most bytes that the `event` and `data` lines of one event may have together. 16 MiB where absent. */
  readonly maxEventBytes?: number;
}

const defaultMaxEventBytes = 16 * 1024 * 1024;

/** The event whose lines are being read. */
interface PendingEvent {
  name: string;
  readonly data: string[];
  bytes: number;
}

/**
 * Decodes server-sent events as the HTML standard does: comments and unknown fields are ignored, an event without
 * a `data` line is none (one whose `data` is empty is), bad bytes become U+FFFD and end nothing. `id` and `retry`
 * are for clients that reconnect and are not handed out. An event over `maxEventBytes` is lost and counted.
 */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  const { maxEventBytes = defaultMaxEventBytes } = options;
  const lines = createLineReader(maxEventBytes);
  let pending: PendingEvent | undefined = startEvent();
  let isFirstLine = true;
  let dropped = 0;

  function takeLine(line: Uint8Array | undefined): readonly SseEvent[] {
    const isFirst = isFirstLine;
    isFirstLine = false;
    if (line === undefined) return drop();
    const text = isFirst ? withoutByteOrderMark(decodeUtf8(line)) : decodeUtf8(line);
    if (text === '') return dispatch();
    if (pending !== undefined && takeField(pending, text)) pending.bytes += line.length;
    return pending !== undefined && pending.bytes > maxEventBytes ? drop() : [];
  }

  function drop(): readonly SseEvent[] {
    if (pending !== undefined) dropped += 1;
    pending = undefined;
    return [];
  }

  function dispatch(): readonly SseEvent[] {
    const ended = pending;
    pending = startEvent();
    if (ended === undefined || ended.data.length === 0) return [];
    return [{ event: ended.name === '' ? 'message' : ended.name, data: ended.data.join('\n') }];
  }

  return {
    decode: (chunk) => lines.read(chunk).flatMap(takeLine),
    end() {
      lines.reset();
      pending = startEvent();
      isFirstLine = true;
    },
    get dropped() {
      return dropped;
    },
  };
}

function startEvent(): PendingEvent {
  return { name: '', data: [], bytes: 0 };
}

function withoutByteOrderMark(line: string): string {
  return line.startsWith('\ufeff') ? line.slice(1) : line;
}

/** Whether the line is a part of the event, and not a comment or a field that events don't have. */
function takeField(pending: PendingEvent, line: string): boolean {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1);
  if (field === 'data') pending.data.push(value);
  else if (field === 'event') pending.name = value;
  else return false;
  return true;
}
