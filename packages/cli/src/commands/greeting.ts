import { formatOrigin } from '../config/entry.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { maskUrl } from '../config/upstream-url.ts';

/** What `qm gateway` tells of itself when it listens. */
export interface GatewayFacts {
  readonly url: string;
  readonly pid: number;
  /** The store's file; `null` without one. */
  readonly store: string | null;
  readonly preset: string;
}

/** The URL, and the lines that point a client at it. */
export function formatGreeting({ url, preset, store }: GatewayFacts, loaded: LoadedConfig): string {
  const lines = [
    `Quartermaster listens on ${url}`,
    '',
    `  preset  ${preset}`,
    `  store   ${store ?? 'none: nothing is deferred'}`,
    ...upstreamLines(loaded),
    '',
    'Point a client at it:',
    '',
    ...clientLines(url).map((line) => `  ${line}`),
    '',
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Upstreams that someone set are shown with who set them: whoever sets one reads every prompt and key. */
function upstreamLines({ config, origins, written }: LoadedConfig): readonly string[] {
  return (['anthropic', 'openai', 'gemini'] as const).flatMap((vendor) => {
    const path = `upstreams.${vendor}`;
    const origin = origins.get(path);
    if (origin === undefined || origin.type === 'default') return [];
    const base = maskUrl(written.get(path) ?? config.upstreams[vendor].href).replace(/\/$/, '');
    return [`  ${vendor} requests go to ${base} (${formatOrigin(origin)})`];
  });
}

/** One line a client, fit to be pasted into a shell. */
function clientLines(url: string): readonly string[] {
  return [
    `Claude Code   ANTHROPIC_BASE_URL=${url}/anthropic claude`,
    `Codex         codex -c 'openai_base_url="${url}/openai/v1"'`,
    `gemini-cli    GOOGLE_GEMINI_BASE_URL=${url}/gemini gemini`,
  ];
}
