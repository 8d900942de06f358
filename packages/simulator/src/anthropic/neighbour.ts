import { refuse } from '../api-error.ts';
import { isObject, objectsIn, without } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { MessagesRequest } from './request.ts';
import { blockTypes } from './validate/content.ts';

/**
 * How faithful the upstream is (rule 17). `faithful` is the API itself; the others are upstreams that answer the same
 * routes and get deferral wrong, each in a way that was reported of a real one.
 *
 * - `ignores-deferral`: drops `defer_loading` and the search tool in silence; every tool is loaded.
 * - `refuses-deferral`: `defer_loading` is an unknown field, a 400, as on an endpoint that only copies the older API.
 * - `refuses-betas`: any `anthropic-beta` value is a 400.
 * - `refuses-system-role`: `role: "system"` in `messages` is a 400, on every model.
 * - `defers-everything`: every client tool is deferred, whatever it says, once one is or the beta of tool search is on.
 * - `drops-unknown-blocks`: blocks it does not know, those of tool search included, vanish from the history.
 */
export type SimulatorMode =
  | 'faithful'
  | 'ignores-deferral'
  | 'refuses-deferral'
  | 'refuses-betas'
  | 'refuses-system-role'
  | 'defers-everything'
  | 'drops-unknown-blocks';

const searchBlocks = ['server_tool_use', 'tool_search_tool_result', 'tool_reference'];

/** The body as an upstream of `mode` reads it, before any check. */
export function bendBody(body: JsonObject, mode: SimulatorMode): JsonObject {
  if (mode === 'ignores-deferral' && Array.isArray(body['tools'])) {
    return { ...body, tools: body['tools'].filter((tool) => !isSearchTool(tool)).map(withoutFlag) };
  }
  if (mode === 'drops-unknown-blocks' && Array.isArray(body['messages'])) {
    return { ...body, messages: body['messages'].map(knownBlocksOnly).filter(hasContent) };
  }
  return body;
}

/** What an upstream of `mode` refuses before it looks any further. */
export function refuseByMode(body: JsonObject, mode: SimulatorMode, betas: readonly string[]): void {
  if (mode === 'refuses-betas' && betas.length > 0) {
    throw refuse(`Unexpected value(s) \`${betas.join('`, `')}\` for the \`anthropic-beta\` header.`);
  }
  if (mode !== 'refuses-deferral') return;
  const index = objectsIn(body['tools']).findIndex((tool) => tool['defer_loading'] !== undefined);
  if (index >= 0) throw refuse(`tools.${index}.custom.defer_loading: Extra inputs are not permitted`);
}

/** The request as an upstream of `mode` acts on it, after the checks. */
export function bendRequest(request: MessagesRequest, mode: SimulatorMode): MessagesRequest {
  if (mode !== 'defers-everything') return request;
  const isTriggered =
    request.tools.some((tool) => tool.isDeferred) ||
    request.betas.some((beta) => beta.startsWith('advanced-tool-use-'));
  if (!isTriggered) return request;
  const tools = request.tools.map((tool) => (tool.kind === 'client' ? { ...tool, isDeferred: true } : tool));
  return { ...request, tools };
}

function isSearchTool(tool: unknown): boolean {
  return isObject(tool) && String(tool['type']).startsWith('tool_search_tool_');
}

function withoutFlag(tool: unknown): unknown {
  return isObject(tool) ? without(tool, 'defer_loading') : tool;
}

function knownBlocksOnly(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message['content'])) return message;
  const known = (blockTypes[String(message['role'])] ?? []).filter((type) => !searchBlocks.includes(type));
  const content = objectsIn(message['content']).filter((block) => known.includes(String(block['type'])));
  return { ...message, content: content.map(withoutNestedReferences) };
}

function withoutNestedReferences(block: JsonObject): JsonObject {
  if (block['type'] !== 'tool_result' || !Array.isArray(block['content'])) return block;
  const content = objectsIn(block['content']).filter((item) => item['type'] !== 'tool_reference');
  return { ...block, content };
}

function hasContent(message: unknown): boolean {
  return !isObject(message) || !Array.isArray(message['content']) || message['content'].length > 0;
}
