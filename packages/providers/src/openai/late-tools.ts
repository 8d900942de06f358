import { hash } from 'node:crypto';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import type { ToolDeclaration } from '../language-model.ts';
import { toObjectSchema } from '../object-schema.ts';

/** A function as the API takes it. */
export function toFunction({ name, description, inputSchema }: ToolDeclaration): FunctionTool {
  return { type: 'function', name, description, parameters: toObjectSchema(inputSchema), strict: false };
}

/** A function that the model is told of by a search. */
export function toDeferredFunction(tool: ToolDeclaration): FunctionTool {
  return { ...toFunction(tool), defer_loading: true };
}

/**
 * The search that nobody made and its output, by which tools enter after a call. The id is derived from the call, so
 * that it is the same in every request.
 */
export function toSearchPair(
  callId: string,
  tools: readonly ToolDeclaration[],
): readonly ResponseInputItem[] {
  const names = tools.map(({ name }) => name);
  const call = {
    call_id: `tool_load_${hash('sha256', callId).slice(0, 16)}`,
    execution: 'client',
    status: 'completed',
  } as const;
  return [
    { type: 'tool_search_call', ...call, arguments: { query: names.join(' '), limit: names.length } },
    { type: 'tool_search_output', ...call, tools: tools.map(toDeferredFunction) },
  ];
}

/** By which tools enter at the end of a message. */
export function toAdditionalTools(tools: readonly ToolDeclaration[]): ResponseInputItem {
  return { type: 'additional_tools', role: 'developer', tools: tools.map(toFunction) };
}
