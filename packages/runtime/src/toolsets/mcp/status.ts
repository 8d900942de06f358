import type { LifeStatus } from './server-life.ts';

/** How a server is, for people and for pages. */
export interface McpStatus extends LifeStatus {
  readonly server: string;
  /** `offered` of `listed`: the others were left out, with a warning each. */
  readonly tools: { readonly offered: number; readonly listed: number };
}

/** One line. */
export function formatMcpStatus({ server, state, tools, lastProblem }: McpStatus): string {
  const isWell = state === 'ready' || lastProblem === undefined;
  return `${server}: ${state}, ${tools.offered} of ${tools.listed} tools${isWell ? '' : `: ${lastProblem}`}`;
}
