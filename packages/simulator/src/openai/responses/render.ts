import { isObject, objectsIn, textOf, without } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { foldPrompt } from '../../prompt.ts';
import type { FlatPrompt, PromptPiece } from '../../prompt.ts';
import { unseal } from '../../seal.ts';
import type { TokenCounter } from '../../token-counter.ts';
import { serviceTierOf } from '../billing.ts';
import { breakpointIn, hideBytes, renderContent, textOfContent } from '../content.ts';
import type { Item, ResponsesRequest } from './request.ts';

/** Rule 2: what changes the whole prompt, then tools, instructions and items in order. */
export function renderResponses(request: ResponsesRequest, countTokens: TokenCounter): FlatPrompt {
  const { body, model, items } = request;
  const text = isObject(body['text']) ? body['text'] : {};
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {};
  const head = JSON.stringify([
    model.id,
    text['format'] ?? null,
    text['verbosity'] ?? null,
    reasoning['effort'] ?? null,
    body['parallel_tool_calls'] !== false,
    serviceTierOf(body),
  ]);
  const instructions = textOf(body['instructions']);
  return foldPrompt(
    head,
    [
      ...objectsIn(body['tools']).map((tool): PromptPiece => piece('tool', '', renderTool(tool))),
      ...(instructions === undefined ? [] : [piece('system', '', instructions)]),
      ...items.map((item) => ({
        ...piece('message', tagOf(item), renderItem(item)),
        breakpoint: breakpointIn(item.json['content'] ?? item.json['output']),
      })),
    ],
    countTokens,
  );
}

function piece(kind: PromptPiece['kind'], tag: string, text: string): PromptPiece {
  return { kind, tag, text };
}

function tagOf({ type, json }: Item): string {
  return `${type}:${textOf(json['role']) ?? ''}:${textOf(json['call_id']) ?? ''}`;
}

/**
 * A tool as the model reads it (§2.2.1): of a deferred function name and description, of a namespace its own and those
 * members that do not wait.
 */
function renderTool(tool: JsonObject): string {
  const { name, description } = tool;
  if (tool['type'] === 'namespace') {
    const loaded = objectsIn(tool['tools']).filter((inner) => inner['defer_loading'] !== true);
    return [JSON.stringify({ name, description }), ...loaded.map(renderTool)].join('\n');
  }
  if (tool['defer_loading'] !== true) return renderDefinition(tool);
  return JSON.stringify(tool['type'] === 'mcp' ? { name: tool['server_label'] } : { name, description });
}

/** A loaded tool in full, also one whose definition says that it once waited. */
function renderDefinition(tool: JsonObject): string {
  return JSON.stringify(without(tool, 'defer_loading'));
}

function renderItem({ type, json }: Item): string {
  switch (type) {
    case 'message':
      return renderContent(json['content']);
    case 'function_call':
      return `${textOf(json['namespace']) ?? ''} ${String(json['name'])} ${String(json['arguments'])}`;
    case 'custom_tool_call':
      return `${String(json['name'])} ${String(json['input'])}`;
    case 'function_call_output':
    case 'custom_tool_call_output':
      return renderContent(json['output']);
    case 'reasoning':
      return unseal(textOf(json['encrypted_content']) ?? '') ?? textOfContent(json['summary']);
    case 'additional_tools':
      return objectsIn(json['tools']).map(renderTool).join('\n');
    case 'tool_search_output':
      return objectsIn(json['tools']).map(renderDefinition).join('\n');
    case 'tool_search_call':
      return JSON.stringify(json['arguments']);
    default:
      return JSON.stringify(without(json, 'id', 'status'), hideBytes);
  }
}
