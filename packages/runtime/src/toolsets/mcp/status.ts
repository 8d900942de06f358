import type { McpState } from './server-life.ts';

/** How a server is, for people and for pages. */
export interface McpStatus {
  readonly server: string;
  readonly state: McpState;
  /** `offered` of `listed`: the others were left out, with a warning each. */
  readonly tools: { readonly offered: number; readonly listed: number };
  readonly restarts: number;
  /** Once it was connected to. */
  readonly protocolVersion?: string;
  /** What ended it last, or hindered its list. */
  readonly lastProblem?: string;
}

/** One line. */
export function formatMcpStatus({ server, state, tools, lastProblem }: McpStatus): string {
  const isWell = state === 'ready' || lastProblem === undefined;
  return `${server}: ${state}, ${tools.offered} of ${tools.listed} tools${isWell ? '' : `: ${lastProblem}`}`;
}
