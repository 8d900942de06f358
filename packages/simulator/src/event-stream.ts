import type { Fault, FaultKind } from './faults.ts';

/** A stream as it goes out: whole records, and how it ends. */
export interface EventStream {
  readonly contentType: string;
  readonly records: readonly string[];
  readonly ending: 'end' | 'destroy';
  /** Silence before the ending, in ms. */
  readonly pauseMs: number;
}

/** How an API's stream breaks: what its records look like where something is wrong with them. */
export interface StreamDialect {
  /** Whether a record brings the first piece of content; what comes before it are openings. */
  isDelta(record: string): boolean;
  /** How many records at the end say that the answer is whole. */
  readonly closingRecords: number;
  /** An error within the stream, after `index` records. */
  errorRecord(fault: Fault, index: number): string;
  /** The answer's end where the model failed in its midst; where the API has no such end, an error. */
  failedRecord(fault: Fault, index: number): string;
  /** Records that no client expects, by fault. */
  readonly strange: Readonly<Record<StrangeFault, readonly string[]>>;
}

/** Faults that put something strange into a stream that is whole otherwise. */
export type StrangeFault = 'badjson' | 'badevent' | 'badblock';

/** Server-sent events; nothing is wrong with them. */
export function eventStream(records: readonly string[]): EventStream {
  return { contentType: 'text/event-stream; charset=utf-8', records, ending: 'end', pauseMs: 0 };
}

/** A stream with what a fault does to it. */
export function spoilStream(
  stream: EventStream,
  fault: Fault | undefined,
  dialect: StreamDialect,
): EventStream {
  if (fault === undefined) return stream;
  const { records } = stream;
  const cut = records.findIndex((record) => dialect.isDelta(record)) + 1;
  const opening = records.slice(0, cut);
  const spoilt = (shown: readonly string[], ending: EventStream['ending'] = 'end'): EventStream => ({
    ...stream,
    records: shown,
    ending,
  });
  switch (fault.kind) {
    case 'empty':
      return spoilt([]);
    case 'dropfirst':
      return spoilt([], 'destroy');
    case 'errfirst':
      return spoilt([dialect.errorRecord(fault, 0)]);
    case 'errevent':
      return spoilt([...opening, dialect.errorRecord(fault, cut)]);
    case 'failed':
      return spoilt([...opening, dialect.failedRecord(fault, cut)]);
    case 'drop':
      return spoilt(opening, 'destroy');
    case 'stall':
      return { ...spoilt(opening, 'destroy'), pauseMs: fault.delayMs };
    case 'fin':
      return spoilt(opening);
    case 'nostop':
      return spoilt(records.slice(0, -dialect.closingRecords));
    default:
      return spoilt([...opening, ...strangeRecords(fault.kind, dialect), ...records.slice(cut)]);
  }
}

function strangeRecords(kind: FaultKind, { strange }: StreamDialect): readonly string[] {
  return kind === 'badjson' || kind === 'badevent' || kind === 'badblock' ? strange[kind] : [];
}

/** Cuts between code points, never inside one. */
export function piecesOf(text: string, length: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}
