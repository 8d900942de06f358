import { requireService } from '../tools/call-tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Tool } from '../tools/tool.ts';
import type { Services } from './services.ts';

/**
 * A variant of `tool` that carries the services of one run with it, for an engine that calls tools with a context of
 * its own. It is the same definition: the same rights, retired together (T3).
 */
export function bindServices(registry: ToolRegistry, tool: Tool, services: Partial<Services>): Tool {
  return registry.issueVariant(tool, (input, context) =>
    tool.run(input, { ...context, service: (key) => requireService(tool, services, key) }),
  );
}
