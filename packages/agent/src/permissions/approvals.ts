import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Tool } from '../tools/tool.ts';

/** Exactly one call: another registry, a definition that was replaced, another id or other arguments are another. */
export interface ApprovedCall {
  readonly registry: ToolRegistry;
  readonly definition: Tool;
  readonly callId: string;
  /** From `hashInput`. */
  readonly inputHash: string;
}

/** Approvals that were given and not yet used (P6). */
export interface Approvals {
  grant(call: ApprovedCall): void;
  /** Whether the call was approved; the approval is gone afterwards. */
  use(call: ApprovedCall): boolean;
}

/** No approval yet. It holds neither registries nor definitions: theirs go when they go. */
export function createApprovals(): Approvals {
  const granted = new WeakMap<ToolRegistry, WeakMap<Tool, Set<string>>>();
  return {
    grant(call) {
      const ofRegistry = granted.get(call.registry) ?? new WeakMap<Tool, Set<string>>();
      const ofDefinition = ofRegistry.get(call.definition) ?? new Set();
      granted.set(call.registry, ofRegistry.set(call.definition, ofDefinition.add(keyOf(call))));
    },
    use: (call) => granted.get(call.registry)?.get(call.definition)?.delete(keyOf(call)) ?? false,
  };
}

function keyOf({ callId, inputHash }: ApprovedCall): string {
  return JSON.stringify([callId, inputHash]);
}
