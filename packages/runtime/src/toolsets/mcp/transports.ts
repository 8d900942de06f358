import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { createChildTransport } from './child-transport.ts';
import type { ChildTransport, ProgramEnd } from './child-transport.ts';
import type { ServerPlace } from './server-config.ts';

/** Ways to one server. */
export interface Transports {
  /** One that was not used before. */
  open(): Transport;
  /** How the program of the last one ended. */
  lastEnd(): ProgramEnd | undefined;
}

/** Makes the transports to a server. */
export function createTransports(
  place: ServerPlace,
  { fetch, onNoise }: { readonly fetch: typeof globalThis.fetch; readonly onNoise: () => void },
): Transports {
  let last: ChildTransport | undefined;
  return {
    open() {
      if (place.type === 'program') return (last = createChildTransport(place.program, onNoise));
      const { url, headers } = place;
      return new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers: { ...headers } } });
    },
    lastEnd: () => last?.end(),
  };
}
