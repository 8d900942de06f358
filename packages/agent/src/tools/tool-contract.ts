import { AgentError } from '../agent-error.ts';
import type { Capabilities, TargetSource } from './tool.ts';

/** What a name promises whichever backend provides it (T7). */
export interface ToolContract {
  readonly description: string;
  readonly capabilities: Capabilities;
  /** Backends that will register a variant; they are named in errors before they have done so. */
  readonly backends?: readonly string[];
}

/** Throws `AgentError` when a name is declared a second time and differently (T7). */
export function requireSameContract(name: string, stated: ToolContract, now: ToolContract): void {
  requireSameCapabilities(name, stated.capabilities, now.capabilities);
  if (stated.description === now.description) return;
  throw new AgentError(
    'TOOL_CONTRADICTION',
    `Tool "${name}": expected the description of its first declaration; another one came. Declare it once.`,
  );
}

/** Throws `AgentError` when a variant or a second declaration asks for something else (T7). */
export function requireSameCapabilities(name: string, stated: Capabilities, now: Capabilities): void {
  if (describeCapabilities(stated) === describeCapabilities(now)) return;
  throw new AgentError(
    'TOOL_CONTRADICTION',
    `Tool "${name}": it is declared with ${describeCapabilities(stated)}; here it has ${describeCapabilities(now)}. ` +
      'A name has one contract: leave the capabilities out, or use another name.',
  );
}

/** The same text for the same capabilities in any order. */
function describeCapabilities(capabilities: Capabilities): string {
  if (capabilities === 'exempt') return 'exempt';
  return capabilities
    .map(({ capability, target }) => `${capability}(${describeTarget(target)})`)
    .sort()
    .join(', ');
}

function describeTarget(target: TargetSource): string {
  if (target === 'none') return '';
  return 'argument' in target ? `argument ${target.argument}` : JSON.stringify(target.constant);
}
