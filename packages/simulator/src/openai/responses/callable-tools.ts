import { objectsIn } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { fullName } from './request.ts';
import type { ResponsesRequest, ResponsesTool } from './request.ts';

/** A function or custom tool, and whether the model can call it now. */
export interface KnownTool extends ResponsesTool {
  readonly isLoaded: boolean;
  /** Loaded by a search: without a namespace of its own it is called under its own name as one (§2.2.3). */
  readonly isFound: boolean;
}

/**
 * Every tool of the client's: those in `tools`, those that `additional_tools` added, and those that a search brought,
 * which need stand nowhere else. A deferred one waits until a search brings it.
 */
export function knownTools(request: Pick<ResponsesRequest, 'tools' | 'items'>): readonly KnownTool[] {
  const known = new Map<string, KnownTool>();
  const add = (tool: ResponsesTool, isFound: boolean): void => {
    if (tool.kind !== 'function' && tool.kind !== 'custom') return;
    const before = known.get(fullName(tool));
    if (before?.isLoaded === true) return;
    known.set(fullName(tool), { ...tool, isFound, isLoaded: isFound || !tool.isDeferred });
  };
  request.tools.forEach((tool) => add(tool, false));
  for (const { type, json } of request.items) {
    if (type === 'additional_tools') toolsIn(json).forEach((tool) => add(tool, false));
    if (type === 'tool_search_output') toolsIn(json).forEach((tool) => add(tool, true));
  }
  return [...known.values()];
}

/** The tool that a script means: by its full name, with `.` or `__` after the namespace, else by its own if only one has it. */
export function findTool(tools: readonly KnownTool[], asked: string): KnownTool | undefined {
  const exact = tools.find((tool) => namesOf(tool).includes(asked));
  if (exact !== undefined) return exact;
  const alike = tools.filter((tool) => tool.name === asked);
  return alike.length === 1 ? alike[0] : undefined;
}

/** What a tool may be called in a prompt. */
export function namesOf(tool: Pick<ResponsesTool, 'name' | 'namespace'>): readonly string[] {
  return tool.namespace === undefined ? [tool.name] : [fullName(tool), `${tool.namespace}__${tool.name}`];
}

/** The search tool of a request; also one that stands in `additional_tools`. */
export function findSearchTool(request: Pick<ResponsesRequest, 'tools' | 'items'>): JsonObject | undefined {
  const added = request.items
    .filter((item) => item.type === 'additional_tools')
    .flatMap((item) => objectsIn(item.json['tools']));
  const declared = request.tools.map((tool) => tool.definition);
  return [...declared, ...added].find((definition) => definition['type'] === 'tool_search');
}

/** The tools of a checked list. */
function toolsIn(item: JsonObject): readonly ResponsesTool[] {
  return objectsIn(item['tools']).flatMap((definition) => {
    if (definition['type'] !== 'namespace') return [toolOf(definition, undefined)];
    return objectsIn(definition['tools']).map((inner) => toolOf(inner, String(definition['name'])));
  });
}

function toolOf(definition: JsonObject, namespace: string | undefined): ResponsesTool {
  const kind =
    definition['type'] === 'function' || definition['type'] === 'custom' ? definition['type'] : 'hosted';
  const name = String(definition['name']);
  return { kind, name, namespace, isDeferred: definition['defer_loading'] === true, definition, path: '' };
}
