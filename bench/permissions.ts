import { performance } from 'node:perf_hooks';
import {
  createPermissionEngine,
  type PermissionEngine,
  type PermissionRule,
} from '@quartermaster/agent/permissions';
import { type BenchResult, median, round } from './figures.ts';

const ruleCount = 1_000;
const runs = 2_000;
const warmUpRuns = 2_000;

/** One decision with 1,000 rules of its namespace, one of which allows. The command line is of two commands. */
export function benchPermissions(): BenchResult {
  const micros = {
    path: measure(
      'filesystem.write',
      (index) => `/srv/data/tenant-${index}/**`,
      (index) => `/srv/data/tenant-${index}/a/b/c.md`,
    ),
    url: measure(
      'network.fetch',
      (index) => `https://host-${index}.example.com/docs/*`,
      (index) => `https://host-${index}.example.com/docs/a?b=c`,
    ),
    command: measure(
      'shell.run',
      (index) => `tool-${index} run *`,
      (index) => `tool-${index} run --all "a b" | tool-${index} run > /dev/null`,
    ),
  };
  const medianMicros = Object.fromEntries(
    Object.entries(micros).map(([kind, value]) => [kind, round(value)]),
  );
  const lines = Object.entries(medianMicros).map(
    ([kind, value]) => `one decision on a ${kind} with ${ruleCount} rules: ${value} µs at the median`,
  );
  return { figures: { medianMicros, ruleCount, runs }, lines };
}

/** In µs. */
function measure(
  capability: string,
  pattern: (index: number) => string,
  target: (index: number) => string,
): number {
  const rules = Array.from({ length: ruleCount }, (_, index): PermissionRule => ({
    answer: index % 10 === 0 ? 'deny' : 'allow',
    capability,
    target: pattern(index),
    source: 'user',
  }));
  const engine = engineOf(rules);
  const times: number[] = [];
  for (let run = 0; run < warmUpRuns + runs; run += 1) {
    const call = {
      tool: 'bench',
      capabilities: [{ capability, target: { argument: 'target' } }],
      input: { target: target(ruleCount - 1 - (run % 9)) },
    };
    const startMs = performance.now();
    const { type } = engine.decide(call);
    if (run >= warmUpRuns) times.push(performance.now() - startMs);
    if (type !== 'allow') throw new Error(`expected allow, came ${type}.`);
  }
  return median(times) * 1_000;
}

function engineOf(rules: readonly PermissionRule[]): PermissionEngine {
  return createPermissionEngine({
    rules,
    surroundings: {
      platform: 'posix',
      isCaseSensitive: true,
      workspace: '/srv/work',
      home: '/home/bench',
      readLink: () => undefined,
    },
    isProjectTrusted: () => true,
  });
}
