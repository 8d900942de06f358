import type { Tool } from '@quartermaster/agent';
import type { PermissionEngine } from '@quartermaster/agent/permissions';

/**
 * Whether a model is told of a tool: not of one that is denied whatever its arguments are (case 95). What depends on
 * arguments is decided when it is called, and so is this once more (P7).
 */
export function isOffered(tool: Tool | undefined, permissions: PermissionEngine): boolean {
  const { name = '', capabilities } = tool ?? {};
  if (capabilities === undefined || capabilities === 'exempt') return true;
  const isDecided = capabilities.every(({ target }) => target === 'none' || 'constant' in target);
  return !isDecided || permissions.decide({ tool: name, capabilities, input: {} }).type !== 'deny';
}
