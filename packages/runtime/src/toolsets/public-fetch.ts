import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Agent, buildConnector, fetch } from 'undici';

/** A `fetch` that reaches public addresses alone, and lets go of its connections by `close`. */
export interface PublicFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/**
 * Refuses this machine, its networks and the addresses of clouds that give credentials away. Looked at when the
 * connection is made, with the address that is used: a name that changes its address in between gains nothing.
 */
export function createPublicFetch(): PublicFetch {
  const connect = buildConnector({ lookup: lookupPublic });
  const dispatcher = new Agent({
    connect(options, done) {
      // No name is looked up for an address.
      const host = options.hostname.replaceAll(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isPublic(host)) done(refused(host), null);
      else connect(options, done);
    },
  });
  return {
    // undici's own `fetch` takes the dispatcher; the shapes are those of the global one.
    fetch: ((input: string | URL, init?: object) =>
      fetch(input, { ...init, dispatcher })) as typeof globalThis.fetch,
    close: () => dispatcher.close(),
  };
}

type LookupDone = (error: Error | null, address: LookupAddress[] | string, family?: number) => void;

function lookupPublic(hostname: string, options: LookupOptions, done: LookupDone): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, []);
    const [first] = addresses;
    const inside = addresses.find(({ address }) => !isPublic(address));
    if (inside !== undefined || first === undefined) return done(refused(hostname), []);
    if (options.all === true) return done(null, addresses);
    return done(null, first.address, first.family);
  });
}

/** Whether an address is reachable from everywhere, by the registries of IANA for special purposes. */
export function isPublic(address: string): boolean {
  return !insideAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function refused(host: string): Error {
  return new Error(`expected a public address; ${host} belongs to this machine or its network.`);
}

const insideAddresses = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // what clouds tell their machines
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96], // unspecified, loopback, and old forms of IPv4 addresses
  ['64:ff9b::', 96], // IPv4 addresses behind a translator
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16], // IPv4 addresses in a tunnel
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
]);

function blockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}
