import type { Model } from '@quartermaster/catalog';
import { refuse } from '../../api-error.ts';
import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { Tool } from '../request.ts';
import { checkCacheControl } from './cache-control.ts';
import { refuseExtra, requireObject, requireText } from './schema.ts';

const customKeys = [
  'allowed_callers',
  'cache_control',
  'defer_loading',
  'description',
  'eager_input_streaming',
  'input_examples',
  'input_schema',
  'name',
  'strict',
  'type',
];
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;
const searchType = /^tool_search_tool_(bm25|regex)(?:_\d{8})?$/;
/** Server tools, client tools with the vendor's own schema, and toolsets: taken as they are. */
const vendorType =
  /^(?:(?:bash|text_editor|memory|computer|web_search|web_fetch|code_execution|advisor)_\d{8}|(?:browser|computer)_toolset_\d{8}|mcp_toolset)$/;
/** Tools of an older vendor schema that the newest models no longer take (§1.16.2 row 14). */
const retiredType = /^computer_\d{8}$/;
const maxDeferred = 10_000;

interface ToolContext {
  readonly model: Model;
  readonly betas: readonly string[];
}

/** The `tools` of a request, each entry's shape checked (§1.16.2 rows 10–12, 14). */
export function readTools(value: unknown, context: ToolContext): readonly Tool[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown, index) => readTool(requireObject(item, `tools.${index}`), index, context));
}

/** Rule 3: what holds for the list as a whole (§1.16.2 rows 9, 1, 3). */
export function checkToolList(tools: readonly Tool[]): void {
  const names = tools.map((tool) => tool.name).filter((name) => name !== '');
  if (new Set(names).size < names.length) throw refuse('tools: Tool names must be unique.');
  const deferred = tools.filter((tool) => tool.isDeferred);
  const searchDeferred = deferred.find((tool) => tool.kind === 'search');
  if (searchDeferred !== undefined) {
    throw refuse(
      `Tool '${searchDeferred.name}' cannot have defer_loading=true: a tool search tool must be loaded.`,
    );
  }
  const marked = deferred.find((tool) => isObject(tool.definition['cache_control']));
  if (marked !== undefined) {
    throw refuse(
      `Tool '${marked.name}' cannot have both defer_loading=true and cache_control set. ` +
        'Tools with defer_loading cannot use prompt caching.',
    );
  }
  if (tools.length > 0 && deferred.length === tools.length) {
    throw refuse('At least one tool must have defer_loading=false. All tools cannot be deferred.');
  }
  if (deferred.length > maxDeferred) {
    throw refuse(
      `tools: at most ${maxDeferred} tools may have defer_loading=true. Found ${deferred.length}.`,
      'available_tools_limit_exceeded',
    );
  }
}

/** A client tool's definition, as it stands in `tools` or inside a `tool_addition`; answers its name. */
export function checkClientTool(definition: JsonObject, path: string, betas: readonly string[]): string {
  refuseExtra(definition, path, customKeys);
  const name = requireText(definition, 'name', path);
  if (!namePattern.test(name)) {
    throw refuse(`${path}.name: String should match pattern '${namePattern.source}'`);
  }
  if (definition['input_schema'] === undefined) throw refuse(`${path}.input_schema: Field required`);
  const schema = requireObject(definition['input_schema'], `${path}.input_schema`);
  if (schema['type'] === undefined) throw refuse(`${path}.input_schema.type: Field required`);
  if (schema['type'] !== 'object') throw refuse(`${path}.input_schema.type: Input should be 'object'`);
  checkDeferLoading(definition, path);
  checkCacheControl(definition, path, betas);
  return name;
}

function readTool(definition: JsonObject, index: number, context: ToolContext): Tool {
  const type = definition['type'] ?? 'custom';
  const path = `tools.${index}.${textOf(type) ?? typeof type}`;
  const isDeferred = definition['defer_loading'] === true;
  if (type === 'custom') {
    const name = checkClientTool(definition, path, context.betas);
    if (isDeferred) requireDeferral(context.model);
    return { name, kind: 'client', search: undefined, isDeferred, definition };
  }
  if (typeof type !== 'string' || !(searchType.test(type) || vendorType.test(type))) {
    throw refuse(
      `tools.${index}: Input tag '${textOf(type) ?? typeof type}' found using 'type' does not match any of the expected tags`,
    );
  }
  checkDeferLoading(definition, path);
  checkCacheControl(definition, path, context.betas);
  return searchType.test(type)
    ? readSearchTool(definition, path, { type, model: context.model })
    : readVendorTool(definition, path, { type, model: context.model });
}

function readSearchTool(
  definition: JsonObject,
  path: string,
  { type, model }: { readonly type: string; readonly model: Model },
): Tool {
  if (!model.capabilities.toolSearch) throw refuseType(model, type);
  refuseExtra(definition, path, [
    'allowed_callers',
    'cache_control',
    'defer_loading',
    'name',
    'strict',
    'type',
  ]);
  const search = searchType.exec(type)?.[1] === 'regex' ? 'regex' : 'bm25';
  const expected = `tool_search_tool_${search}`;
  const name = requireText(definition, 'name', path);
  if (name !== expected) throw refuse(`${path}.name: Input should be '${expected}'`);
  return { name, kind: 'search', search, isDeferred: definition['defer_loading'] === true, definition };
}

function readVendorTool(
  definition: JsonObject,
  path: string,
  { type, model }: { readonly type: string; readonly model: Model },
): Tool {
  if (retiredType.test(type) && !model.capabilities.forcedToolChoice) throw refuseType(model, type);
  const isToolset = type.includes('toolset');
  const name = isToolset ? '' : requireText(definition, 'name', path);
  const isClient = /^(?:bash|text_editor|memory|computer)_/.test(type) && !isToolset;
  const isDeferred = definition['defer_loading'] === true;
  return { name, kind: isClient ? 'client' : 'server', search: undefined, isDeferred, definition };
}

function requireDeferral(model: Model): void {
  if (model.capabilities.toolSearch) return;
  throw refuse(`'${model.id}' does not support tools with defer_loading=true.`);
}

function refuseType(model: Model, type: string): Error {
  return refuse(`'${model.id}' does not support tool types: ${type}.`);
}

function checkDeferLoading(definition: JsonObject, path: string): void {
  const value = definition['defer_loading'];
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    throw refuse(`${path}.defer_loading: Input should be a valid boolean`);
  }
}
