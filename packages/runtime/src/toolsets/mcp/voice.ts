import { redact } from '@quartermaster/agent/settings';
import type { Secret } from '@quartermaster/agent/settings';

/** How a server's affairs are told to people, without its secrets (C3). */
export interface Voice {
  /** The text without secrets. */
  hide(text: string): string;
  warn(message: string): void;
  /** What was said before is not said again. */
  warnOnce(message: string): void;
}

/** Of one server; a hostile one could say something new for ever. */
const maxSaidOnce = 200;

/** Speaks of the server `name`. */
export function createVoice(
  name: string,
  { secrets, warn }: { readonly secrets: readonly Secret[]; readonly warn: (message: string) => void },
): Voice {
  const said = new Set<string>();
  const voice: Voice = {
    hide: (text) => redact(text, secrets),
    warn: (message) => warn(`MCP server ${name}: ${voice.hide(message)}`),
    warnOnce(message) {
      if (said.has(message) || said.size >= maxSaidOnce) return;
      said.add(message);
      voice.warn(message);
    },
  };
  return voice;
}
