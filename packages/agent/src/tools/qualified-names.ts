import { createHash } from 'node:crypto';
import { maxToolNameLength } from './check-definition.ts';
import { DuplicateToolError } from './tool-errors.ts';

/** Where a qualified name came from. */
export interface ToolOrigin {
  readonly server: string;
  /** The name as the server gave it. */
  readonly tool: string;
}

/** The names by which a model knows the tools of MCP servers, and the table back (T10). */
export interface QualifiedNames {
  /** The same for the same origin, in any order and after a restart. Throws `DuplicateToolError`. */
  qualify(origin: ToolOrigin): string;
  /** Looked up, never read out of the name: `mcp__a__b__c` may be tool `c` of `a__b` (case 117). */
  originOf(name: string): ToolOrigin | undefined;
}

const hashLength = 12;

/** A plain name that looks like a hashed one is hashed too, so that neither kind can take the other's names. */
const hashedName = new RegExp(`_[0-9a-f]{${hashLength}}$`);

/** An empty table for names of up to `maxLength` characters: what the provider takes. */
export function createQualifiedNames({
  maxLength = maxToolNameLength,
}: { readonly maxLength?: number } = {}): QualifiedNames {
  const origins = new Map<string, ToolOrigin>();
  return {
    qualify({ server, tool }) {
      const name = qualifiedName(server, tool, maxLength);
      const other = origins.get(name);
      if (other !== undefined && (other.server !== server || other.tool !== tool)) {
        throw new DuplicateToolError(
          `Expected tools of MCP servers to have names of their own; "${name}" stands for "${other.tool}" of ` +
            `"${other.server}" and would for "${tool}" of "${server}". Give one of the servers another name.`,
        );
      }
      origins.set(name, { server, tool });
      return name;
    },
    originOf: (name) => origins.get(name),
  };
}

/**
 * A pure function of the origin: a suffix by order of arrival would change with it (case 115). Plain where no two
 * origins can give the same text; else cut and ended with a hash of the whole origin.
 */
function qualifiedName(server: string, tool: string, maxLength: number): string {
  const plain = `mcp__${server}__${tool}`;
  if (isUnmistakable(server, tool) && plain.length <= maxLength && !hashedName.test(plain)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, hashLength);
  return `${readable(server, tool).slice(0, maxLength - hashLength - 1)}_${hash}`;
}

/** The first `__` after the prefix ends a server's name that neither has one nor ends in `_`. */
function isUnmistakable(server: string, tool: string): boolean {
  return /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(server) && /^[\w-]+$/.test(tool);
}

/** For people and for the model: what no provider takes, and what looks like the end of the server, becomes `_`. */
function readable(server: string, tool: string): string {
  const clean = (text: string): string => text.replaceAll(/[^A-Za-z0-9-]+/g, '_');
  return `mcp__${clean(server).replaceAll(/^_|_$/g, '')}__${clean(tool)}`;
}
