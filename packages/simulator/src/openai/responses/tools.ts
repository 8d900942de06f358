import type { Model } from '@quartermaster/catalog';
import { isObject } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import {
  refuseMember,
  refuseOther,
  refuseType,
  refuseUnknown,
  requireList,
  requireObject,
  requireText,
} from '../checks.ts';
import { checkFunctionName, checkFunctionSchema } from '../function-schema.ts';
import { fullName } from './request.ts';
import type { ResponsesTool } from './request.ts';

/** Tools that OpenAI runs or whose schema is its own: taken as they are. */
const hostedTypes = [
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'programmatic_tool_calling',
  'shell',
  'web_search',
  'web_search_preview',
];
const toolTypes = ['custom', 'function', 'namespace', 'tool_search', ...hostedTypes];
const functionKeys = [
  'allowed_callers',
  'async',
  'defer_loading',
  'description',
  'name',
  'output_schema',
  'parameters',
  'strict',
  'type',
];

interface ReadContext {
  /** `tools`, or `input[0].tools`. */
  readonly path: string;
  readonly model: Model;
}

/** The tools of a list, each entry's shape checked, the members of namespaces one by one. */
export function readTools(value: unknown, context: ReadContext): readonly ResponsesTool[] {
  if (value === undefined || value === null) return [];
  const tools = requireList(value, context.path).flatMap((item, index) =>
    readTool(requireObject(item, `${context.path}[${index}]`), `${context.path}[${index}]`, context.model),
  );
  checkUnique(tools, context.path);
  return tools;
}

/** The schemas of functions that the client declares; what a search brought was declared before, or is the client's word. */
export function checkSchemas(tools: readonly ResponsesTool[]): void {
  for (const { kind, name, definition, path } of tools) {
    const { parameters } = definition;
    if (kind !== 'function' || parameters === undefined || parameters === null) continue;
    const at = `${path}.parameters`;
    const isStrict = definition['strict'] === true;
    checkFunctionSchema(requireObject(parameters, at), { name, path: at, isStrict });
  }
}

/** Rule 1: a deferred tool needs the search tool that can load it. */
export function checkDeferral(tools: readonly ResponsesTool[]): void {
  if (!tools.some((tool) => tool.isDeferred) || tools.some((tool) => tool.kind === 'search')) return;
  throw refuseMember(
    "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
    undefined,
    'tools',
  );
}

function readTool(definition: JsonObject, path: string, model: Model): readonly ResponsesTool[] {
  const type = requireText(definition, 'type', { path });
  // Dated types of the same tool, such as web_search_2025_08_26.
  const family = type.replace(/_\d{4}_\d{2}_\d{2}$/, '');
  refuseOther(family, `${path}.type`, toolTypes);
  switch (family) {
    case 'function':
    case 'custom':
      return [readNamed(definition, path, { kind: family, namespace: undefined })];
    case 'namespace':
      return readNamespace(definition, path);
    case 'tool_search':
      return [readSearch(definition, path, model)];
    default:
      return [hostedTool(definition, path, type)];
  }
}

function readNamespace(definition: JsonObject, path: string): readonly ResponsesTool[] {
  refuseUnknown(definition, path, ['description', 'name', 'tools', 'type']);
  const namespace = requireText(definition, 'name', { path });
  requireText(definition, 'description', { path });
  return requireList(definition['tools'], `${path}.tools`).map((item, index) => {
    const at = `${path}.tools[${index}]`;
    const tool = requireObject(item, at);
    refuseOther(requireText(tool, 'type', { path: at }), `${at}.type`, ['custom', 'function']);
    return readNamed(tool, at, { kind: tool['type'] === 'custom' ? 'custom' : 'function', namespace });
  });
}

function readNamed(
  definition: JsonObject,
  path: string,
  { kind, namespace }: { readonly kind: 'function' | 'custom'; readonly namespace: string | undefined },
): ResponsesTool {
  const name = requireText(definition, 'name', { path });
  checkFunctionName(name, `${path}.name`);
  refuseUnknown(
    definition,
    path,
    kind === 'custom' ? ['defer_loading', 'description', 'format', 'name', 'type'] : functionKeys,
  );
  refuseType(definition, path, { defer_loading: 'boolean', description: 'string', strict: 'boolean' });
  return { kind, name, namespace, isDeferred: definition['defer_loading'] === true, definition, path };
}

function readSearch(definition: JsonObject, path: string, model: Model): ResponsesTool {
  refuseUnknown(definition, path, ['description', 'execution', 'parameters', 'type']);
  refuseOther(definition['execution'], `${path}.execution`, ['server', 'client']);
  if (!model.capabilities.toolSearch) {
    throw refuseMember(`Tool 'tool_search' is not supported with ${model.id}.`, 'invalid_value', 'tools');
  }
  return { kind: 'search', name: 'tool_search', namespace: undefined, isDeferred: false, definition, path };
}

function hostedTool(definition: JsonObject, path: string, type: string): ResponsesTool {
  const isDeferred = definition['defer_loading'] === true;
  return { kind: 'hosted', name: type, namespace: undefined, isDeferred, definition, path };
}

/** OpenAI's own wording is not known. */
function checkUnique(tools: readonly ResponsesTool[], path: string): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    if (tool.kind === 'hosted') continue;
    const name = fullName(tool);
    if (seen.has(name)) {
      throw refuseMember(
        `Duplicate tool name '${name}' in '${path}'. Tool names must be unique.`,
        'invalid_value',
        path,
      );
    }
    seen.add(name);
  }
}

/** The schema of a tool's arguments; empty where it has none. */
export function parametersOf({ definition }: ResponsesTool): JsonObject {
  return isObject(definition['parameters']) ? definition['parameters'] : {};
}
