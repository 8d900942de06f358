import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { catalog } from '@quartermaster/catalog';
import { createSimulator } from '@quartermaster/simulator';
import type { SimulatedRequest, Simulator, SimulatorOptions } from '@quartermaster/simulator';

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of requests and replies, asserted on member by member
export type Loose = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Loose;
}

/** A simulator on a socket of its own. */
export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly simulator: Simulator;
  /** Moves the clock. */
  wait(ms: number): void;
  send(body: unknown, headers?: Record<string, string>, path?: string): Promise<Reply>;
  /** The newest record. */
  last(): SimulatedRequest;
}

export const bytes = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

export const baseHeaders: Record<string, string> = {
  'content-type': 'application/json',
  'x-api-key': 'test-key',
  'anthropic-version': '2023-06-01',
};

export async function startSimulator(options: Partial<SimulatorOptions> = {}): Promise<Running> {
  let nowMs = 1_800_000_000_000;
  let id = 0;
  const defaults: SimulatorOptions = {
    catalog,
    clock: { now: () => nowMs },
    countTokens: bytes,
    binding: true,
    ids: () => String((id += 1)).padStart(6, '0'),
  };
  // The options may have getters, which a spread would read once and for all.
  const simulator = createSimulator(
    Object.defineProperties(defaults, Object.getOwnPropertyDescriptors(options)),
  );
  const server = createServer(simulator.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    simulator,
    wait: (ms) => {
      nowMs += ms;
    },
    async send(body, headers = {}, path = '/v1/messages') {
      const reply = await fetch(url + path, {
        method: 'POST',
        headers: { ...baseHeaders, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, text, json: parse(text) };
    },
    last() {
      const record = simulator.requests().at(-1);
      if (record === undefined) throw new Error('no request was recorded');
      return record;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request that is accepted as it is; `changes` replace members. */
export function requestOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model: 'claude-opus-5-5',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'hello' }],
    ...changes,
  };
}

export function tool(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name,
    description: `The tool ${name}.`,
    input_schema: { type: 'object', properties: {} },
    ...changes,
  };
}

export const bm25 = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
export const regex = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };

/** A prompt that scripts the replies to it. */
export function script(...steps: unknown[]): string {
  return `@@${JSON.stringify(steps)}@@`;
}

/** A step whose fault gives way to `next`. */
export function followedBy(
  fault: Record<string, unknown>,
  next: Record<string, unknown>,
): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable -- the script's own word; no step is ever awaited
  return { ...fault, then: next };
}

export function user(content: unknown): Record<string, unknown> {
  return { role: 'user', content };
}

export function assistant(content: unknown): Record<string, unknown> {
  return { role: 'assistant', content };
}

export function system(content: unknown, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { role: 'system', content, ...changes };
}

/** Events of an SSE body, in order. */
export function eventsOf(text: string): { readonly event: string; readonly data: Loose }[] {
  return text
    .split('\n\n')
    .filter((record) => record !== '')
    .map((record) => {
      const [event = '', data = ''] = record.split('\n');
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) };
    });
}
