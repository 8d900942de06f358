import type { Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';
import type { ToolDeclaration } from '@quartermaster/providers';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { createToolIssuer } from '../tool-issuer.ts';
import { addToolInput } from './add-tool-input.ts';
import { answerAdding, answerSearch } from './answers.ts';
import { createCatalogueIndex } from './catalogue-index.ts';
import type { IndexCatalogue } from './catalogue-index.ts';
import { addToolName, searchToolsName } from './tool-names.ts';

/**
 * What an agent is told of tools in a session at the moment of a call: those of its catalogue are `isSearchOnly`, and
 * what can be called stands there without it, so that one that was added stands there twice (`withCatalogue`).
 */
export type ListDeclarations = () => readonly ToolDeclaration[];

/** Issues `search_tools` and `add_tool` for one list of tools. */
export type IssueCatalogueTools = (declarations: ListDeclarations) => readonly Tool[];

/**
 * The tools by which a model without a search of its own finds what waits in a catalogue (RT1, case 21). They are
 * registered once, and what is issued are variants of them (T3), cheap enough for each time that a toolbox is opened.
 * Neither changes anything: what `add_tool` added is read out of the session's log (`addedTools`), so that it lasts as
 * long as the log does.
 */
export function createCatalogueTools(registry: ToolRegistry): IssueCatalogueTools {
  const issue = createToolIssuer(registry);
  const index = createCatalogueIndex();
  // The registered ones are those of nobody's catalogue: a name alone reaches no agent's tools.
  catalogueTools(() => [], index).forEach(issue);
  return (declarations) => catalogueTools(declarations, index).map(issue);
}

function catalogueTools(declarations: ListDeclarations, index: IndexCatalogue): readonly ToolDefinition[] {
  return [
    defineTool({
      name: searchToolsName,
      description:
        'Find tools that are not loaded yet, by words for what they do or what they work on, or by a name. ' +
        `To use one, add it with ${addToolName} first.`,
      inputSchema: z.strictObject({ words: z.string().min(1) }),
      capabilities: 'exempt',
      run: ({ words }) => answerSearch(words, index(declarations())),
    }),
    defineTool({
      name: addToolName,
      description: `Load a tool by its exact name, as ${searchToolsName} gave it. It stays loaded.`,
      inputSchema: addToolInput,
      capabilities: 'exempt',
      run: ({ name }) => answerAdding(name, index(declarations())),
    }),
  ];
}
