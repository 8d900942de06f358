import { applyEdits, type Edit } from '@quartermaster/wire';

/** One record of an event stream in its own bytes, so that it can be passed on as it came, or with a single value changed. */
export interface EventRecord {
  /** As it came (latin1), up to and including the first character of the line end that closes it. */
  readonly raw: string;
  /** `message` where the record names none. */
  readonly event: string;
  /** The lines of its data (latin1), joined by LF; `undefined` where it has none. */
  readonly data: string | undefined;
  /** Where each of those lines stands. */
  readonly lines: readonly DataLine[];
}

interface DataLine {
  /** Of the line's text: in `raw`, and in `data`. */
  readonly rawAt: number;
  readonly dataAt: number;
}

/** Cuts a stream into records wherever its chunks are cut. */
export interface RecordReader {
  /** The records that `chunk` completes. Throws where one is longer than it will hold. */
  read(chunk: Buffer): readonly EventRecord[];
  /** What was read of a record that is not complete (latin1). */
  rest(): string;
}

/** Far above any block that comes whole in one event. */
const maxRecordBytes = 16 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * A record ends with the CR or the LF that makes its last line blank. Where that is the first half of a CRLF, the second
 * begins the next record: so nothing waits for it, and all cuttings give the same records.
 */
export function createRecordReader(): RecordReader {
  let held = '';
  let at = 0;
  let isLineBlank = true;
  let isAfterReturn = false;
  let isFirst = true;

  function isRecordEnd(code: number): boolean {
    const isLineEnd = code === lineFeed || code === carriageReturn;
    const isSecondHalf = code === lineFeed && isAfterReturn;
    isAfterReturn = code === carriageReturn;
    if (isSecondHalf) return false;
    const isEnd = isLineEnd && isLineBlank;
    isLineBlank = isLineEnd;
    return isEnd;
  }

  return {
    read(chunk) {
      held += chunk.toString('latin1');
      const records: EventRecord[] = [];
      let start = 0;
      for (; at < held.length; at += 1) {
        if (!isRecordEnd(held.charCodeAt(at))) continue;
        records.push(parseRecord(held.slice(start, at + 1), isFirst));
        isFirst = false;
        start = at + 1;
      }
      held = held.slice(start);
      at -= start;
      if (held.length > maxRecordBytes) throw new RangeError(`an event of more than ${maxRecordBytes} bytes`);
      return records;
    },
    rest: () => held,
  };
}

/** The record's bytes with its data edited. */
export function withEditedData({ raw, lines }: EventRecord, edits: readonly Edit[]): string {
  const rawAt = (position: number): number => {
    const line = lines.findLast(({ dataAt }) => dataAt <= position);
    return line === undefined ? position : line.rawAt + position - line.dataAt;
  };
  const moved = edits.map(({ span: { start, end }, text }) => ({
    span: { start: rawAt(start), end: end === start ? rawAt(start) : rawAt(end - 1) + 1 },
    text,
  }));
  return applyEdits(raw, moved);
}

/** A record of our own. `json` is latin1. */
export function printRecord(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** A UTF-8 byte order mark, which only a stream's first line may have. */
const byteOrderMark = '\u00ef\u00bb\u00bf';

function parseRecord(raw: string, isFirst: boolean): EventRecord {
  let event = 'message';
  const lines: DataLine[] = [];
  const texts: string[] = [];
  let dataAt = 0;
  for (const { 0: whole, index } of raw.matchAll(/[^\r\n]+/g)) {
    const skipped = isFirst && index === 0 && whole.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    const { field, valueAt } = readField(whole.slice(skipped));
    const value = whole.slice(skipped + valueAt);
    if (field === 'event' && value !== '') event = value;
    if (field !== 'data') continue;
    lines.push({ rawAt: index + skipped + valueAt, dataAt });
    texts.push(value);
    dataAt += value.length + 1;
  }
  return { raw, event, data: texts.length === 0 ? undefined : texts.join('\n'), lines };
}

function readField(line: string): { readonly field: string; readonly valueAt: number } {
  const colon = line.indexOf(':');
  if (colon === -1) return { field: line, valueAt: line.length };
  return { field: line.slice(0, colon), valueAt: line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1 };
}
