import { AgentError } from '../agent-error.ts';
import { isCapability } from '../permissions/target.ts';
import { parseServiceKeys } from '../services/service-key.ts';
import { readMember } from './text-input.ts';
import type { Capabilities, ToolDefinition } from './tool.ts';

/** Longer names are refused by at least one provider. */
export const maxToolNameLength = 64;

/** Throws `AgentError` unless a registry can hold the definition. Types are not enough: JavaScript calls this too. */
export function checkDefinition(definition: ToolDefinition): void {
  checkName(definition.name);
  const { name, description, inputSchema } = definition;
  if (typeof description !== 'string' || description.trim() === '') {
    throw bad(name, 'a description that tells the model when to use it', `got ${typeof description}`);
  }
  if (typeof inputSchema?.['~standard']?.validate !== 'function') {
    throw bad(name, 'an inputSchema that is a Standard Schema', 'it has no "~standard".validate');
  }
  if (typeof inputSchema['~standard'].jsonSchema?.input !== 'function') {
    throw bad(
      name,
      'an inputSchema that yields JSON Schema',
      'it has no "~standard".jsonSchema; zod from 4.2 on has it, other libraries have an adapter',
    );
  }
  if (typeof definition.run !== 'function') throw bad(name, 'a function run', `got ${typeof definition.run}`);
  checkCapabilities(name, definition.capabilities);
  parseServiceKeys(name, definition.requires);
}

/** Throws `AgentError` unless every provider takes the name. */
export function checkName(name: unknown): void {
  if (typeof name === 'string' && name.length <= maxToolNameLength && /^[\w-]+$/.test(name)) return;
  throw bad(
    String(name).slice(0, maxToolNameLength),
    `a name of 1 to ${maxToolNameLength} letters, digits, _ or -`,
    `got ${typeof name === 'string' ? `${name.length} characters` : typeof name}`,
  );
}

/**
 * Throws `AgentError` for what the engine could only guess at. An empty list is such a thing: it could mean both that
 * there is nothing to ask for and that nothing was declared. So is a name that no rule could spell.
 */
export function checkCapabilities(name: string, capabilities: Capabilities | undefined): void {
  if (capabilities === undefined || capabilities === 'exempt') return;
  if (!Array.isArray(capabilities) || capabilities.length === 0) {
    throw bad(name, "capabilities to be 'exempt' or a list with at least one", 'it is neither');
  }
  const odd = capabilities.findIndex((use) => !isCapabilityUse(use));
  if (odd >= 0) {
    throw bad(
      name,
      "each capability to have a name such as notes.read and a target: { argument }, { constant } or 'none'",
      `number ${odd + 1} has not`,
    );
  }
}

function isCapabilityUse(use: unknown): boolean {
  const capability = readMember(use, 'capability');
  const target = readMember(use, 'target');
  const sources = ['argument', 'constant']
    .map((name) => readMember(target, name))
    .filter((one) => one !== undefined);
  const isSource = sources.length === 1 && typeof sources[0] === 'string' && sources[0] !== '';
  return typeof capability === 'string' && isCapability(capability) && (target === 'none' || isSource);
}

function bad(name: string, expected: string, came: string): AgentError {
  return new AgentError('TOOL_BAD_DEFINITION', `Tool "${name}": expected ${expected}; ${came}.`);
}
