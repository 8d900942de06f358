import { performance } from 'node:perf_hooks';
import { decideDeferral, type RuleInput, type SessionTools } from '@quartermaster/deferral';

const toolCount = 2_000;
const sessionCount = 64;
const runs = 400;
const warmUpRuns = 100;

/** RU8: how long one decision takes at the median, in ms, for 2,000 tools and 64 sessions of the tenant. */
export function benchDecide(): { readonly medianMs: number; readonly runs: number } {
  const input = fullHistory();
  for (let run = 0; run < warmUpRuns; run += 1) decideDeferral(input);
  const times = Array.from({ length: runs }, () => {
    const startMs = performance.now();
    decideDeferral(input);
    return performance.now() - startMs;
  });
  times.sort((left, right) => left - right);
  return { medianMs: times[runs / 2] ?? Number.NaN, runs };
}

/** Half built-in tools, half those of fifty servers; every session declared all of them and used sixty. */
function fullHistory(): RuleInput {
  const names = Array.from({ length: toolCount }, (_, index) =>
    index % 2 === 0 ? `built_in_tool_${index}` : `mcp__server${index % 50}__tool_${index}`,
  );
  const sessions = Array.from({ length: sessionCount }, (_, index): SessionTools => ({
    declared: new Set(names.map(copyOf)),
    used: new Set(names.slice(index * 6, index * 6 + 60).map(copyOf)),
  }));
  return {
    tools: names.map((name) => ({ name, kind: 'client' })),
    usedInThread: new Set(),
    tenantSessions: sessions,
    projectSessions: sessions.toReversed(),
    keep: ['mcp__server7', 'built_in_tool_19*'],
    forced: undefined,
    weigh: () => 150 + toolCount / 10,
  };
}

/** The same name as another string: sets that were read from a store share no string with the request. */
function copyOf(name: string): string {
  return Array.from(name).join('');
}
