import { createToolIndex } from '@quartermaster/agent/deferral';
import type { ToolIndex } from '@quartermaster/agent/deferral';
import type { ToolDeclaration } from '@quartermaster/providers';
import { addToolName, searchToolsName } from './tool-names.ts';

/** The tools of an agent in a session, ready to be searched. */
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
    const tools = declarations.filter(({ name }) => name !== searchToolsName && name !== addToolName);
    if (!areAlike(newest.tools, tools)) newest = { tools, index: createToolIndex(tools) };
    const { index } = newest;
    // A tool that was added since reads the same, and is another declaration.
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return {
      tools,
      find: (name) => byName.get(name),
      search: (words) =>
        index.rank(words, { limit: tools.length }).flatMap(({ name }) => byName.get(name) ?? []),
    };
  };
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
