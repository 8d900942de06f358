import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AuthProvider, Transport } from '@modelcontextprotocol/client';
import { createAnswerStreams } from './answer-streams.ts';
import type { AnswerStreams } from './answer-streams.ts';
import { boundFetch } from './bounded-fetch.ts';
import { createChildTransport } from './child-transport.ts';
import type { ChildTransport, ProgramEnd } from './child-transport.ts';
import type { ServerPlace } from './server-config.ts';

/** Ways to one server. */
export interface Transports {
  /** One that was not used before. */
  readonly open: () => Transport;
  /** The same for a server that speaks the oldest form of HTTP alone; nothing for a program. */
  readonly openOld?: () => Transport;
  /** How the program of the last one ended. */
  readonly lastEnd: () => ProgramEnd | undefined;
  /** Runs a call so that it ends with the stream that its answer would come on. */
  readonly watch: AnswerStreams['watch'];
}

/** What transports work with. */
export interface TransportOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Gives the tokens of a login. */
  readonly authProvider?: AuthProvider;
  /** A program wrote something that is no message. */
  readonly onNoise: () => void;
}

/** Makes the transports to a server. */
export function createTransports(place: ServerPlace, options: TransportOptions): Transports {
  return place.type === 'program'
    ? createProgramTransports(place, options)
    : createHttpTransports(place, options);
}

function createProgramTransports(
  { program }: Extract<ServerPlace, { readonly type: 'program' }>,
  { onNoise }: TransportOptions,
): Transports {
  let last: ChildTransport | undefined;
  return {
    open: () => (last = createChildTransport(program, onNoise)),
    lastEnd: () => last?.end(),
    watch: (call) => call(), // all calls end with the pipe
  };
}

function createHttpTransports(
  { url, headers }: Extract<ServerPlace, { readonly type: 'address' }>,
  { fetch, authProvider }: TransportOptions,
): Transports {
  const streams = createAnswerStreams(boundFetch(fetch));
  const options = {
    fetch: streams.fetch,
    requestInit: { headers: { ...headers } },
    ...(authProvider !== undefined && { authProvider }),
  };
  return {
    open: () => new StreamableHTTPClientTransport(url, options),
    openOld: () => new SSEClientTransport(url, options),
    lastEnd: () => undefined,
    watch: (call) => streams.watch(call),
  };
}
