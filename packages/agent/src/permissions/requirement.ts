import { isProxy } from 'node:util/types';
import type { Capabilities, CapabilityUse } from '../tools/tool.ts';
import { readPath } from './path/path-target.ts';
import type { PathSurroundings } from './path/path-surroundings.ts';
import { readCommandLine } from './shell/read-command-line.ts';
import { withBareName } from './shell/look-into.ts';
import { formatWords } from './shell/shell-use.ts';
import type { ShellUse } from './shell/shell-use.ts';
import { kindOfCapability } from './target.ts';
import type { Target } from './target.ts';
import { readUrl } from './url/url-target.ts';

/** One thing that has to be allowed before a call runs. */
export type Requirement =
  | { readonly type: 'use'; readonly capability: string; readonly target: Target }
  /** It can't be judged: no rule can allow it. */
  | {
      readonly type: 'unclear';
      readonly capability: string;
      readonly answer: 'ask' | 'deny';
      readonly shown: string;
      readonly reason: string;
    };

/** All that a call needs, from the declared capabilities and the arguments as the tool gets them (P1). */
export function listRequirements(
  capabilities: Exclude<Capabilities, 'exempt'>,
  input: unknown,
  surroundings: PathSurroundings,
): readonly Requirement[] {
  return capabilities.flatMap((use) => readUse(use, input, surroundings));
}

function readUse(use: CapabilityUse, input: unknown, surroundings: PathSurroundings): readonly Requirement[] {
  const { capability, target } = use;
  if (target === 'none') return [{ type: 'use', capability, target: { type: 'any', shown: 'any target' } }];
  if (!('argument' in target)) return readTarget(capability, target.constant, surroundings);
  const value = readOwn(input, target.argument);
  const texts = Array.isArray(value) ? Array.from(value, (_, index) => readOwn(value, index)) : [value];
  if (texts.length === 0 || !texts.every(isText)) {
    const reason = `the argument "${target.argument}" must say on what, as a text or a list of texts`;
    return [denied(capability, 'no target', reason)];
  }
  return texts.flatMap((text) => readTarget(capability, text, surroundings));
}

/** What it holds itself: what it inherits was written by nobody, and what it computes may be another at the next look. */
function readOwn(holder: unknown, name: string | number): unknown {
  const isPlain = typeof holder === 'object' && holder !== null && !isProxy(holder);
  return isPlain ? Object.getOwnPropertyDescriptor(holder, name)?.value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readTarget(
  capability: string,
  text: string,
  surroundings: PathSurroundings,
): readonly Requirement[] {
  switch (kindOfCapability(capability)) {
    case 'path': {
      const reading = readPath(text, surroundings);
      if (reading.type === 'refused') return [denied(capability, text, reading.reason)];
      return reading.paths.map((path) => ({ type: 'use', capability, target: { type: 'path', path } }));
    }
    case 'url': {
      const reading = readUrl(text);
      if (reading.type === 'refused') return [denied(capability, 'a URL', reading.reason)];
      return [{ type: 'use', capability, target: reading }];
    }
    case 'command':
      return readCommandTarget(capability, text, surroundings);
    case 'text':
      return [{ type: 'use', capability, target: { type: 'text', text } }];
  }
}

function readCommandTarget(
  capability: string,
  text: string,
  surroundings: PathSurroundings,
): readonly Requirement[] {
  const reading = readCommandLine(text);
  if (reading.type === 'unclear') {
    return [{ type: 'unclear', capability, answer: 'ask', shown: text, reason: reading.reason }];
  }
  return reading.uses.flatMap((use) => requireShellUse(use, capability, surroundings));
}

function requireShellUse(
  use: ShellUse,
  capability: string,
  surroundings: PathSurroundings,
): readonly Requirement[] {
  switch (use.type) {
    case 'command': {
      const { words } = use;
      const command = { words, bare: withBareName(words) };
      const target: Target = { type: 'command', command, shown: formatWords(words) };
      return [{ type: 'use', capability, target }];
    }
    case 'environment':
      return readTarget('shell.environment', use.name, surroundings);
    case 'file': {
      const access = `filesystem.${use.access}`;
      if (use.path !== undefined) return readTarget(access, use.path, surroundings);
      return [
        { type: 'use', capability: access, target: { type: 'any', shown: 'a file that is not known yet' } },
      ];
    }
  }
}

function denied(capability: string, shown: string, reason: string): Requirement {
  return { type: 'unclear', capability, answer: 'deny', shown, reason };
}
