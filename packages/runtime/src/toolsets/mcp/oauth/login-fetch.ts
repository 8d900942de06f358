import { lookup } from 'node:dns/promises';
import { isPublic } from '../../public-fetch.ts';

/** Ways to reach others. */
export interface LoginFetchOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Reaches public addresses alone. */
  readonly publicFetch: typeof globalThis.fetch;
}

/** How long an authorization server may take, in ms. */
const timeoutMs = 15_000;

/**
 * For what a server says about who lets people in: a server of the public net must not send this program to addresses
 * of its own network. No header of the configuration goes along.
 */
export function createLoginFetch(
  server: URL,
  { fetch, publicFetch }: LoginFetchOptions,
): typeof globalThis.fetch {
  return async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    const isFree = target.origin === server.origin || (await isInside(server.hostname));
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])]);
    return await (isFree ? fetch : publicFetch)(input, { ...init, signal });
  };
}

async function isInside(hostname: string): Promise<boolean> {
  const addresses = await lookup(hostname.replaceAll(/^\[|\]$/g, ''), { all: true });
  return addresses.some(({ address }) => !isPublic(address));
}
