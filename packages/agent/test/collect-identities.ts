import { setImmediate } from 'node:timers/promises';
import { createToolRegistry, registerTool } from '@quartermaster/agent';
import type { ToolDefinition, ToolRegistry } from '@quartermaster/agent';
import { fromJsonSchema } from '@quartermaster/agent/engine';

/** Everything that must go while the registry that outlives it stays. */
export const shortLived = [
  'closure',
  'object of an engine',
  'registry',
  'replaced function',
  'services of a run',
  'tool',
  'variant of a run',
];

/** Lives as long as the module, as an application's own functions do. */
const lasting = (): string => 'lasting';

/** What of `shortLived` the collector took, in alphabetical order, and whether the lasting function is bound still. */
export async function collectIdentities(
  gc: () => void,
): Promise<{ readonly collected: readonly string[]; readonly isLastingBound: boolean }> {
  const collected = new Set<string>();
  const watch = new FinalizationRegistry((what: string) => collected.add(what));
  const registry = createToolRegistry();
  useShortLivedRegistry(watch);
  bindForOneRun(registry, watch);
  replaceFunction(registry, watch);
  for (let round = 0; round < 50 && collected.size < shortLived.length; round += 1) {
    gc();
    await setImmediate();
  }
  return { collected: [...collected].sort(), isLastingBound: registry.resolve(lasting)?.name === 'lasting' };
}

function useShortLivedRegistry(watch: FinalizationRegistry<string>): void {
  const registry = createToolRegistry();
  const closure = (): ToolRegistry => registry;
  watch.register(registry, 'registry');
  watch.register(closure, 'closure');
  watch.register(registerTool(registry, definitionOf('closure', closure)), 'tool');
  registerTool(registry, definitionOf('lasting', lasting));
}

function bindForOneRun(registry: ToolRegistry, watch: FinalizationRegistry<string>): void {
  const tool = registerTool(registry, definitionOf('lasting', lasting));
  const services = { memory: 'of one run' };
  const native = {};
  registry.bind(tool, native);
  watch.register(native, 'object of an engine');
  watch.register(services, 'services of a run');
  const variant = registry.issueVariant(tool, () => services);
  watch.register(variant, 'variant of a run');
}

function replaceFunction(registry: ToolRegistry, watch: FinalizationRegistry<string>): void {
  const replaced = (): string => 'replaced';
  watch.register(replaced, 'replaced function');
  registerTool(registry, definitionOf('replaced', replaced));
  registerTool(
    registry,
    definitionOf('replaced', () => 'new'),
    { replace: true },
  );
}

function definitionOf(name: string, run: ToolDefinition['run']): ToolDefinition {
  return { name, description: name, inputSchema: fromJsonSchema({ type: 'object' }), run };
}
