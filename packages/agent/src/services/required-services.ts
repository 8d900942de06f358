import type { ToolRegistry } from '../tools/tool-registry.ts';
import { KNOWN_SERVICE_KEYS, parseServiceKeys } from './service-key.ts';
import type { ServiceKey } from './service-key.ts';

/**
 * The services that a run with these tools builds, in the order of `KNOWN_SERVICE_KEYS`. They are read from what each
 * object was registered with: a look-alike declares nothing, and a name says nothing (S2, S3).
 */
export function requiredServices(
  registry: ToolRegistry,
  candidates: readonly unknown[],
): readonly ServiceKey[] {
  const keys = new Set(
    candidates.flatMap((candidate) => {
      const definition = registry.resolve(candidate);
      return definition === undefined ? [] : parseServiceKeys(definition.name, definition.requires);
    }),
  );
  return KNOWN_SERVICE_KEYS.filter((key) => keys.has(key));
}
