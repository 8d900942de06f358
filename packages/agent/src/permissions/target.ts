import type { CommandTarget } from './shell/command-pattern.ts';
import type { UrlTarget } from './url/url-target.ts';

/** What a capability is used on, canonical. */
export type Target =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'url'; readonly url: UrlTarget; readonly shown: string }
  | { readonly type: 'command'; readonly command: CommandTarget; readonly shown: string }
  | { readonly type: 'text'; readonly text: string }
  /** No target was declared, or it is known only when it happens: it may be any. */
  | { readonly type: 'any'; readonly shown: string };

/** How targets of a capability are read and matched. */
export type TargetKind = 'path' | 'url' | 'command' | 'text';

/** Whether the text can name a capability, in a tool and in a rule: words with dots between them, in lower case at first. */
export function isCapability(text: string): boolean {
  return /^[a-z][\w-]*(\.[a-z][\w-]*)*$/.test(text);
}

/** By the namespace. `shell.environment` is on names of variables. */
export function kindOfCapability(capability: string): TargetKind {
  if (capability === 'shell.environment') return 'text';
  const [namespace] = capability.split('.', 1);
  if (namespace === 'filesystem') return 'path';
  if (namespace === 'network' || namespace === 'http') return 'url';
  return namespace === 'shell' ? 'command' : 'text';
}

/** For people, and for a tool that wants to act on just what was judged. */
export function showTarget(target: Target): string {
  switch (target.type) {
    case 'path':
      return target.path;
    case 'text':
      return target.text;
    default:
      return target.shown;
  }
}
