import type { Tool, ToolReferenceBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import type { ToolDeclaration } from '../language-model.ts';
import { toObjectSchema } from '../object-schema.ts';
import { toolsIn } from '../place-tools.ts';
import type { PlacedTools, ToolTaking } from '../place-tools.ts';
import { marked } from './cache-marks.ts';

/**
 * Never called. The first deferred tool changes how the prompt begins, so a conversation that may get one has this one
 * from its first request (D11).
 */
const deferredPlaceholder: ToolDeclaration = {
  name: 'quartermaster_later_tools',
  description: 'Stands for tools that may become available later. Never call it.',
  inputSchema: { type: 'object', properties: {} },
};

/** Never called. Of the tools at least one must not be deferred (the API refuses it otherwise). */
const loadedPlaceholder: ToolDeclaration = {
  name: 'quartermaster_no_tool_yet',
  description: 'Stands for the tools that are not available yet. Never call it.',
  inputSchema: { type: 'object', properties: {} },
};

const searchTool = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;

/**
 * The list of tools: those from the start with the cache mark on the last of them, then the deferred ones, which are no
 * part of the rendered prompt until something refers to them.
 */
export function toToolList(
  { inline, afterCall, afterMessage, catalogue }: PlacedTools,
  { mayGrow, lateTools }: Pick<ToolTaking, 'lateTools'> & { readonly mayGrow: boolean },
): readonly ToolUnion[] {
  const late = [...toolsIn(afterCall), ...toolsIn(afterMessage)];
  const isGrowing = mayGrow && lateTools !== 'list';
  const loaded: readonly ToolUnion[] = [
    ...inline.map(toTool),
    ...(catalogue.length === 0 ? [] : [searchTool]),
  ];
  const isBare = loaded.length === 0 && (isGrowing || late.length > 0);
  const declared = isBare ? [toTool(loadedPlaceholder)] : loaded;
  const last = declared.at(-1);
  const listed = new Set(catalogue.map(({ name }) => name));
  return [
    ...(last === undefined ? [] : [...declared.slice(0, -1), marked(last)]),
    ...(isGrowing ? [deferred(deferredPlaceholder)] : []),
    ...catalogue.map(deferred),
    ...late.filter(({ name }) => !listed.has(name)).map(deferred),
  ];
}

function toTool({ name, description, inputSchema }: ToolDeclaration): Tool {
  return { name, description, input_schema: toObjectSchema(inputSchema) };
}

function deferred(tool: ToolDeclaration): Tool {
  return { ...toTool(tool), defer_loading: true };
}

/** What loads tools beside a call's own result. */
export function toReferences(tools: readonly ToolDeclaration[]): ToolReferenceBlockParam[] {
  return tools.map(({ name }) => ({ type: 'tool_reference', tool_name: name }));
}
