import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from './api-error.ts';
import type { SimulatedRequest } from './bill.ts';
import { isObject, textOf } from './json.ts';
import type { JsonObject } from './json.ts';
import { errorTypeOf } from './refusal.ts';
import type { ScriptedStep } from './script.ts';
import type { Vendor } from './vendor.ts';

/** Faults that come instead of an answer. */
const replacing = ['status', 'html', 'reset', 'hang'] as const;
/** Faults within an answer; on a JSON reply only `drop`, `empty` and, on Responses, `failed` show. */
const streaming = [
  'empty',
  'dropfirst',
  'errfirst',
  'errevent',
  'failed',
  'drop',
  'stall',
  'fin',
  'badjson',
  'badevent',
  'badblock',
  'nostop',
] as const;

/** What can go wrong on purpose. */
export type FaultKind = (typeof replacing)[number] | (typeof streaming)[number];

/** Something that goes wrong on purpose. */
export interface Fault {
  readonly kind: FaultKind;
  /** `status`: of the reply. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `status`: the body as it is to be sent; `undefined` means the vendor's envelope. */
  readonly body: string | undefined;
  readonly message: string | undefined;
  /** The error's type or code; `undefined` means the vendor's own for the case. */
  readonly errorType: string | undefined;
  /** `hang`, `stall`: how long, in ms. */
  readonly delayMs: number;
}

const defaultHangMs = 5_000;

export function replacesReply(fault: Fault): boolean {
  return replacing.some((kind) => kind === fault.kind);
}

/** Rule 16: `x-simulator-fault: 429;retry-after=3`, a status or a fault's name, then response headers. */
export function faultOfHeader(headers: IncomingHttpHeaders): Fault | undefined {
  const header = headers['x-simulator-fault'];
  if (typeof header !== 'string') return undefined;
  const [head = '', ...pairs] = header.split(';').map((part) => part.trim());
  const extra = Object.fromEntries(
    pairs
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const status = Number(head);
  if (!Number.isInteger(status)) return readFault({ fault: head }, extra);
  // The edge answers 413, and not in JSON (§1.16.1).
  const edge = status === 413 ? { raw: '<html><body>413 Request Entity Too Large</body></html>' } : {};
  return readFault({ fault: 'status', status, ...edge }, extra);
}

/** Which faults of scripts have happened how often; a fault happens `times` times (once by default), then no more. */
export interface FaultMemory {
  take(step: ScriptedStep): Fault | undefined;
  clear(): void;
}

export function createFaultMemory(): FaultMemory {
  const counts = new Map<string, number>();
  return {
    take({ key, json }) {
      if (json['fault'] === undefined) return undefined;
      const before = counts.get(key) ?? 0;
      if (before >= Number(json['times'] ?? 1)) return undefined;
      counts.set(key, before + 1);
      return readFault(json, {});
    },
    clear: () => counts.clear(),
  };
}

/** How a fault that comes instead of an answer stands in the record. */
export function recordOf(fault: Fault): Pick<SimulatedRequest, 'status' | 'error'> {
  const statuses: Partial<Record<FaultKind, number>> = { status: fault.status, html: 502 };
  const message = fault.message ?? `injected ${fault.kind}`;
  return { status: statuses[fault.kind] ?? 0, error: { type: 'simulator_fault', message } };
}

/** The body of a `status` fault. */
export function faultBody(fault: Fault, vendor: Vendor, requestId: string): string {
  if (fault.body !== undefined) return fault.body;
  const { status, message = `scripted ${status}`, errorType: detail } = fault;
  const type = errorTypeOf(status, vendor);
  return JSON.stringify(vendor.errorBody({ status, type, message, detail, param: undefined }, requestId));
}

function readFault(json: JsonObject, extra: Readonly<Record<string, string>>): Fault {
  const kinds = [...replacing, ...streaming];
  const kind = kinds.find((name) => name === json['fault']);
  if (kind === undefined) {
    throw refuse(
      `simulator: no fault "${String(json['fault'])}"; there are ${kinds.join(', ')} and, in the header, a status`,
    );
  }
  const written = isObject(json['headers']) ? json['headers'] : {};
  const headers = Object.fromEntries(Object.entries(written).map(([name, value]) => [name, String(value)]));
  return {
    kind,
    status: Number(json['status'] ?? 500),
    headers: { ...headers, ...extra },
    body: textOf(json['raw']) ?? (json['body'] === undefined ? undefined : JSON.stringify(json['body'])),
    message: textOf(json['message']),
    errorType: textOf(json['etype']),
    delayMs: Number(json['delay'] ?? defaultHangMs),
  };
}
