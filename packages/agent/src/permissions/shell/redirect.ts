import type { Redirect } from 'unbash';
import { readPathWord } from './read-word.ts';
import type { CommandLineReading, ShellUse } from './shell-use.ts';

/** Writing there leaves nothing behind. */
const harmlessFiles: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

const accesses: Readonly<Record<Redirect['operator'], readonly ('read' | 'write')[]>> = {
  '>': ['write'],
  '>>': ['write'],
  '>|': ['write'],
  '&>': ['write'],
  '&>>': ['write'],
  '>&': ['write'],
  '<': ['read'],
  '<&': ['read'],
  '<>': ['read', 'write'],
};

/** What a redirection does to files and variables. */
export function readRedirect({ operator, descriptor, target }: Redirect): CommandLineReading {
  if (target === undefined) return { type: 'unclear', reason: 'a redirection names no file' };
  const path = readPathWord(target);
  const uses: ShellUse[] = [];
  if (descriptor?.type === 'FileDescriptorVariable')
    uses.push({ type: 'environment', name: descriptor.name });
  const isCopy = operator === '>&' || operator === '<&';
  if (isCopy && path !== undefined && /^(\d+-?|-)$/.test(path)) return { type: 'uses', uses };
  if (isCopy && !/^[\w+,./-]+$/.test(path ?? '')) {
    return { type: 'unclear', reason: 'bash expands what it redirects to a second time, quoted or not' };
  }
  if (path !== undefined && /^\/+dev\/+(tcp|udp)\//.test(path)) {
    return { type: 'unclear', reason: 'a redirection opens a network connection' };
  }
  if (path === undefined || !harmlessFiles.has(path)) {
    uses.push(...accesses[operator].map((access): ShellUse => ({ type: 'file', access, path })));
  }
  return { type: 'uses', uses };
}
