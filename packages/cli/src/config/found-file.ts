import { isLoopback } from '../loopback.ts';
import type { Entry, Problem } from './entry.ts';
import { parseUpstreamUrl } from './upstream-url.ts';

/**
 * What is wrong with the addresses that `foundFile` decides. A `qm.yaml` that merely stands in the working folder may
 * have come with a clone, and must not say which machine gets the user's prompts and keys (`upstreams`) or the admin
 * token (`host`, which the commands ask). Nothing that listens on this machine came with it.
 */
export function refuseFoundAddresses(
  entries: ReadonlyMap<string, Entry>,
  foundFile: string | undefined,
): readonly Problem[] {
  return [...entries.values()]
    .filter(({ origin }) => origin.type === 'file' && origin.file === foundFile)
    .filter(({ path, value }) => leavesThisMachine(path, String(value)))
    .map(({ path, origin }) => ({
      origin,
      message: `${path}: expected an address of this machine, since this file was only found in the working folder; came another. If you trust the file, name it: --config ${foundFile}. Your own file, variables and flags may name any address.`,
    }));
}

/** A URL that can't be read is refused as that. */
function leavesThisMachine(path: string, text: string): boolean {
  if (path === 'host') return !isLoopback(text) && !everyAddress.has(text);
  if (!path.startsWith('upstreams.')) return false;
  const address = parseUpstreamUrl(text);
  return address.type === 'base' && !isLoopback(address.url.hostname);
}

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
