import { createToolIndex } from '@quartermaster/agent/deferral';
import type { ToolIndex } from '@quartermaster/agent/deferral';
import type { ToolDeclaration } from '@quartermaster/providers';
import { addToolName, searchToolsName } from './tool-names.ts';

/** The tools of an agent in a session, each once, ready to be searched. */
export interface CatalogueIndex {
  /** Neither `search_tools` nor `add_tool` is among them. */
  readonly tools: readonly ToolDeclaration[];
  find(name: string): ToolDeclaration | undefined;
  /** All that have a word of these, the best first, whether they wait or not. */
  search(words: string): readonly ToolDeclaration[];
}

/** Indexes a list of tools. */
export type IndexCatalogue = (declarations: readonly ToolDeclaration[]) => CatalogueIndex;

/** Reads the texts again only where a list has other tools than the one before: in most searches it has not. */
export function createCatalogueIndex(): IndexCatalogue {
  let newest: { readonly tools: readonly ToolDeclaration[]; readonly index: ToolIndex<ToolDeclaration> } = {
    tools: [],
    index: createToolIndex([]),
  };
  return (declarations) => {
    const byName = new Map<string, ToolDeclaration>();
    for (const tool of declarations) if (isSought(tool, byName.get(tool.name))) byName.set(tool.name, tool);
    const tools = [...byName.values()];
    if (!areAlike(newest.tools, tools)) newest = { tools, index: createToolIndex(tools) };
    const { index } = newest;
    return {
      tools,
      find: (name) => byName.get(name),
      // One that was added since reads the same, and is another declaration.
      search: (words) =>
        index.rank(words, { limit: tools.length }).flatMap(({ name }) => byName.get(name) ?? []),
    };
  };
}

/** One that was added stands in the catalogue too; it is loaded. */
function isSought({ name, isSearchOnly }: ToolDeclaration, other: ToolDeclaration | undefined): boolean {
  if (name === searchToolsName || name === addToolName) return false;
  return other === undefined || isSearchOnly !== true;
}

function areAlike(left: readonly ToolDeclaration[], right: readonly ToolDeclaration[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ name, description, inputSchema }, place) => {
      const other = right[place];
      return other?.name === name && other.description === description && other.inputSchema === inputSchema;
    })
  );
}
