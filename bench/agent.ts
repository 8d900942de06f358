import { performance } from 'node:perf_hooks';
import { createToolRegistry } from '@quartermaster/agent';
import { assembleTools, fromJsonSchema } from '@quartermaster/agent/engine';
import type { ToolReference } from '@quartermaster/agent/engine';
import type { ToolRegistry } from '@quartermaster/agent';
import { type BenchResult, median, round } from './figures.ts';

const toolCount = 2_000;
const runs = 200;
const warmUpRuns = 50;

/** How long it takes at the median, in ms, to fill a registry with 2,000 tools and to assemble them for a backend. */
export function benchAssembly(): BenchResult {
  const { registry, references } = createFilledRegistry();
  const assemblyMs = round(medianMs(() => assembleTools(registry, references, { backend: 'runtime' })));
  const registrationMs = round(medianMs(createFilledRegistry));
  return {
    figures: { tools: toolCount, assemblyMs, registrationMs, runs },
    lines: [
      `assembly of 2,000 tools: ${assemblyMs} ms at the median`,
      `registration of the same: ${registrationMs} ms at the median`,
    ],
  };
}

/** A third each by name, by function and by tool; every tenth is declared and has a variant for three backends. */
function createFilledRegistry(): {
  readonly registry: ToolRegistry;
  readonly references: readonly ToolReference[];
} {
  const registry = createToolRegistry();
  const references = Array.from({ length: toolCount }, (_, index): ToolReference => {
    const name = `tool_${index}`;
    if (index % 10 === 0) return declareAndRegister(registry, name);
    const run = (): string => name;
    const tool = registry.register({ ...definition, name, run });
    return [name, run, tool][index % 3] ?? tool;
  });
  return { registry, references };
}

const definition = {
  description: 'Does one thing.',
  inputSchema: fromJsonSchema({ type: 'object' }),
  capabilities: [{ capability: 'filesystem.read', target: { argument: 'path' } }],
} as const;

function declareAndRegister(registry: ToolRegistry, name: string): string {
  const { description, capabilities } = definition;
  registry.declare(name, { description, capabilities });
  for (const backend of ['adk', 'langgraph', 'runtime']) {
    registry.register({ ...definition, name, run: () => backend }, { variantOf: name, backend });
  }
  return name;
}

function medianMs(work: () => unknown): number {
  for (let run = 0; run < warmUpRuns; run += 1) work();
  const times = Array.from({ length: runs }, () => {
    const startMs = performance.now();
    work();
    return performance.now() - startMs;
  });
  return median(times);
}
