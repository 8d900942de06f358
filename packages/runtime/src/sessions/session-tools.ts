import { hash } from 'node:crypto';
import { noToolDeferrals, parseToolDeferrals, serialiseToolDeferrals } from '@quartermaster/agent/deferral';
import type { ToolDeferrals } from '@quartermaster/agent/deferral';
import type { ToolDeclaration } from '@quartermaster/providers';
import type { FrozenDeclaration, StoredToolDeferrals } from '@quartermaster/store';

/** The tools of a session: their places, and the declarations that stay as they were first sent (D12). */
export interface SessionTools {
  readonly deferrals: ToolDeferrals;
  /** By digest. */
  readonly declarations: ReadonlyMap<string, ToolDeclaration>;
}

/** A session that no model was asked in yet, or whose conversation was replaced by a summary. */
export const noSessionTools: SessionTools = { deferrals: noToolDeferrals, declarations: new Map() };

/** What a declaration is known by: the bytes that a model is told. */
export function digestOf({ name, description, inputSchema }: ToolDeclaration): string {
  return hash('sha256', JSON.stringify([name, description, inputSchema]));
}

/** `undefined` for a state that can't be read, or that names a declaration which is not there (DP4). */
export function readSessionTools({ state, declarations }: StoredToolDeferrals): SessionTools | undefined {
  const deferrals = parseToolDeferrals(state);
  if (deferrals === undefined) return undefined;
  const read = new Map(declarations.map(({ digest, declaration }) => [digest, readDeclaration(declaration)]));
  const isWhole = [...deferrals.definitions.values()].every((digest) => read.get(digest) !== undefined);
  if (!isWhole) return undefined;
  const known = [...read].flatMap(([digest, declaration]) =>
    declaration ? [[digest, declaration] as const] : [],
  );
  return { deferrals, declarations: new Map(known) };
}

/** What has to be written: the state, and the declarations that `before` did not have. */
export function toStored(
  { deferrals, declarations }: SessionTools,
  before: SessionTools,
): StoredToolDeferrals {
  const fresh = [...declarations].filter(([digest]) => !before.declarations.has(digest));
  return {
    state: serialiseToolDeferrals(deferrals),
    declarations: fresh.map(([digest, declaration]): FrozenDeclaration => ({
      digest,
      declaration: JSON.stringify(declaration),
    })),
  };
}

function readDeclaration(text: string): ToolDeclaration | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDeclaration(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isDeclaration(value: unknown): value is ToolDeclaration {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'description' in value &&
    'inputSchema' in value &&
    typeof value.name === 'string' &&
    typeof value.description === 'string' &&
    typeof value.inputSchema === 'object'
  );
}
