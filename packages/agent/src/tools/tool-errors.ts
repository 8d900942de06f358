import { AgentError } from '../agent-error.ts';

/** A name, or a callable, is used a second time (T6). */
export class DuplicateToolError extends AgentError {
  override readonly name = 'DuplicateToolError';

  constructor(message: string) {
    super('TOOL_DUPLICATE', message);
  }
}

/** A variant of a name that nobody declared (T7). */
export class UndeclaredVariantError extends AgentError {
  override readonly name = 'UndeclaredVariantError';

  constructor(name: string, backend: string) {
    super(
      'TOOL_UNDECLARED_VARIANT',
      `Expected "${name}" to be declared before ${backend} registers its variant of it; it is not. ` +
        `Call declareTool(registry, "${name}", …) first: sharing a name is never inferred.`,
    );
  }
}

/** A name that is declared and has no variant for the backend in use (T8). */
export class AmbiguousToolError extends AgentError {
  override readonly name = 'AmbiguousToolError';
  /** Those that have a variant or will provide one, in alphabetical order. */
  readonly backends: readonly string[];

  constructor(name: string, backend: string, backends: readonly string[]) {
    const others = backends.length === 0 ? 'No backend has one' : `Backends with one: ${backends.join(', ')}`;
    super(
      'TOOL_AMBIGUOUS',
      `"${name}" is ambiguous: it is declared, and ${backend} has no variant of it. ${others}. ` +
        `Use one of those, or register a variant for ${backend}.`,
    );
    this.backends = backends;
  }
}
