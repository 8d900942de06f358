import type { ToolDeclaration } from '@quartermaster/providers';
import { addToolName, searchToolsName } from './tool-names.ts';

/** The tools of an agent in a session. */
export interface CatalogueParts {
  /** Those that wait for nothing, `search_tools` and `add_tool` among them. */
  readonly declarations: readonly ToolDeclaration[];
  /** Those of its deferred toolsets, as they are now. */
  readonly catalogue: readonly ToolDeclaration[];
  /** Names in the order in which they were added (`addedTools`). */
  readonly added: ReadonlySet<string>;
}

/**
 * What a request tells of them: the whole catalogue as search-only, the same whatever was added since, and what was
 * added beside it as a tool like any other. Where a tool to search or to add with is missing nothing waits, since
 * nothing could load it (case 21).
 */
export function withCatalogue({
  declarations,
  catalogue,
  added,
}: CatalogueParts): readonly ToolDeclaration[] {
  if (catalogue.length === 0) return declarations;
  const own = new Set(declarations.map(({ name }) => name));
  if (!own.has(searchToolsName) || !own.has(addToolName)) return [...declarations, ...catalogue];
  const byName = new Map(catalogue.map((tool) => [tool.name, tool]));
  return [
    ...declarations.map((tool) => (isStandIn(tool) ? { ...tool, standsInForSearch: true } : tool)),
    ...[...added].flatMap((name) => (own.has(name) ? [] : (byName.get(name) ?? []))),
    ...catalogue.map((tool) => ({ ...tool, isSearchOnly: true })),
  ];
}

function isStandIn({ name }: ToolDeclaration): boolean {
  return name === searchToolsName || name === addToolName;
}
