import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { rankTools } from '../../tool-ranking.ts';
import { findSearchTool, knownTools } from './callable-tools.ts';
import type { KnownTool } from './callable-tools.ts';
import { fullName } from './request.ts';
import type { ResponsesRequest } from './request.ts';

/** What a response's searches share. */
export interface SearchContext {
  readonly request: ResponsesRequest;
  readonly ids: (prefix: string) => string;
  /** The full names of the tools that this response's own searches have loaded. */
  readonly loaded: Set<string>;
}

/** What is looked for: a tool that the model knows by name, or whatever fits a query. */
type Wanted = { readonly tool: KnownTool } | { readonly query: string; readonly limit: number | undefined };

/** What a search came to. */
export interface Search {
  readonly items: readonly JsonObject[];
  /** The client has to search: the response ends here. */
  readonly isWaiting: boolean;
}

const nothing: Search = { items: [], isWaiting: false };
const defaultLimit = 5;

/** Searches with the tool that the request declares for it, on the server or the client; without one, not at all. */
export function lookFor(wanted: Wanted, context: SearchContext): Search {
  const search = findSearchTool(context.request);
  if (search === undefined) return nothing;
  return search['execution'] === 'client' ? askClient(wanted, search, context) : searchHere(wanted, context);
}

/** A call with an id of its own (§2.2.3), unless the client has just answered the same one. */
function askClient(wanted: Wanted, search: JsonObject, { request, ids }: SearchContext): Search {
  const query = 'tool' in wanted ? fullName(wanted.tool) : wanted.query;
  const limit = 'tool' in wanted ? 1 : wanted.limit;
  const properties = searchProperties(search);
  const queryKey = properties['query'] === undefined ? (Object.keys(properties)[0] ?? 'query') : 'query';
  const takesLimit = properties['limit'] !== undefined && limit !== undefined;
  const callArguments = { [queryKey]: query, ...(takesLimit ? { limit } : {}) };
  if (hasJustAsked(request, callArguments)) return nothing;
  const call = {
    type: 'tool_search_call',
    id: ids('tsc_'),
    call_id: ids('call_'),
    execution: 'client',
    status: 'completed',
    arguments: callArguments,
  };
  return { items: [call], isWaiting: true };
}

/** The client's schema names its own arguments. */
function searchProperties({ parameters }: JsonObject): JsonObject {
  return isObject(parameters) && isObject(parameters['properties']) ? parameters['properties'] : {};
}

/** Whether the same search stands after the last turn, so that asking again would change nothing. */
function hasJustAsked({ items }: ResponsesRequest, callArguments: JsonObject): boolean {
  const asked = JSON.stringify(callArguments);
  const turn = items.findLastIndex((item) => !isBetweenTurns(item.type));
  return items
    .slice(turn + 1)
    .some((item) => item.type === 'tool_search_call' && JSON.stringify(item.json['arguments']) === asked);
}

function isBetweenTurns(type: string): boolean {
  return ['reasoning', 'tool_search_call', 'tool_search_output', 'additional_tools'].includes(type);
}

/** Finds among the tools that wait and loads them at once: a namespace as a whole (§2.2.2). */
function searchHere(wanted: Wanted, { request, ids, loaded }: SearchContext): Search {
  const waiting = knownTools(request).filter((tool) => !tool.isLoaded && !loaded.has(fullName(tool)));
  const found =
    'tool' in wanted
      ? [wanted.tool]
      : rankTools(wanted.query, waiting, 'parameters').slice(0, wanted.limit ?? defaultLimit);
  const paths = [...new Set(found.map((tool) => tool.namespace ?? tool.name))];
  const brought = waiting.filter((tool) => paths.includes(tool.namespace ?? tool.name));
  brought.forEach((tool) => loaded.add(fullName(tool)));
  const both = { call_id: null, execution: 'server', status: 'completed' };
  return {
    items: [
      { type: 'tool_search_call', id: ids('tsc_'), ...both, arguments: { paths } },
      { type: 'tool_search_output', id: ids('tso_'), ...both, tools: definitionsOf(brought, request) },
    ],
    isWaiting: false,
  };
}

/** Found tools as `tools` declares them, the members of a namespace together. */
function definitionsOf(found: readonly KnownTool[], { body }: ResponsesRequest): readonly JsonObject[] {
  const namespaces = new Map<string, KnownTool[]>();
  const plain = found.filter((tool) => tool.namespace === undefined).map((tool) => tool.definition);
  for (const tool of found) {
    if (tool.namespace !== undefined)
      namespaces.set(tool.namespace, [...(namespaces.get(tool.namespace) ?? []), tool]);
  }
  const declared: readonly unknown[] = Array.isArray(body['tools']) ? body['tools'] : [];
  return [
    ...plain,
    ...[...namespaces].map(([name, tools]) => ({
      type: 'namespace',
      name,
      description: describeNamespace(declared, name),
      tools: tools.map((tool) => tool.definition),
    })),
  ];
}

function describeNamespace(declared: readonly unknown[], name: string): string {
  const namespace = declared.find(
    (tool) => isObject(tool) && tool['type'] === 'namespace' && tool['name'] === name,
  );
  return isObject(namespace) ? (textOf(namespace['description']) ?? '') : '';
}
