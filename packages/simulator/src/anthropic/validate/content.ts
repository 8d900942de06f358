import { refuse } from '../../api-error.ts';
import { type JsonObject, textOf } from '../../json.ts';
import type { Block } from '../request.ts';
import { checkCacheControl } from './cache-control.ts';
import { refuseExtra, requireList, requireObject, requireText } from './schema.ts';

/** Members of the blocks whose shape is known in full; blocks of `otherTypes` are taken as they are. */
const blockKeys: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'],
  server_tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  tool_search_tool_result: ['type', 'tool_use_id', 'content', 'cache_control'],
  tool_reference: ['type', 'tool_name', 'cache_control'],
  tool_addition: ['type', 'tool', 'cache_control'],
  tool_removal: ['type', 'tool', 'cache_control'],
};
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name'],
  tool_result: ['tool_use_id'],
  server_tool_use: ['id', 'name'],
  tool_search_tool_result: ['tool_use_id'],
  tool_reference: ['tool_name'],
};
const inputTypes = ['image', 'document', 'search_result'];
const otherTypes = [
  ...inputTypes,
  'advisor_tool_result',
  'bash_code_execution_tool_result',
  'code_execution_tool_result',
  'compaction',
  'container_upload',
  'fallback',
  'mcp_tool_listing',
  'mcp_tool_result',
  'mcp_tool_use',
  'text_editor_code_execution_tool_result',
  'web_fetch_tool_result',
  'web_search_tool_result',
];
const assistantTypes = [
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'tool_search_tool_result',
  ...otherTypes,
];
const userTypes = ['text', 'tool_result', ...otherTypes];

/** Block types by the place they may stand in. */
export const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: userTypes,
  assistant: assistantTypes,
  system: ['text', 'tool_addition', 'tool_removal'],
  top: ['text'],
  tool_result: ['text', 'tool_reference', 'browser_state', ...inputTypes],
};

/** What the checks of a content array need to know about the place. */
export interface ContentContext {
  /** A key of {@link blockTypes}. */
  readonly place: string;
  readonly betas: readonly string[];
}

/** Message or system content as blocks; a string is one text block. */
export function readContent(value: unknown, path: string, context: ContentContext): readonly Block[] {
  if (typeof value === 'string') return [{ type: 'text', json: { type: 'text', text: value }, path }];
  return requireList(value, path).map((item, index) =>
    readBlock(requireObject(item, `${path}.${index}`), `${path}.${index}`, context),
  );
}

function readBlock(json: JsonObject, path: string, context: ContentContext): Block {
  const type = json['type'];
  if (type === undefined) throw refuse(`${path}.type: Field required`);
  const allowed = blockTypes[context.place] ?? [];
  if (typeof type !== 'string' || !allowed.includes(type)) {
    const expected = allowed.map((item) => `'${item}'`).join(', ');
    throw refuse(
      `${path}: Input tag '${textOf(type) ?? typeof type}' found using 'type' does not match any of the expected tags: ${expected}`,
    );
  }
  checkMembers(json, `${path}.${type}`, { type, betas: context.betas });
  if (type === 'tool_result') checkResultContent(json, path, context.betas);
  return { type, json, path };
}

function checkMembers(
  json: JsonObject,
  path: string,
  { type, betas }: { readonly type: string; readonly betas: readonly string[] },
): void {
  const keys = blockKeys[type];
  if (keys !== undefined) refuseExtra(json, path, keys);
  for (const key of requiredTexts[type] ?? []) requireText(json, key, path);
  if (type === 'tool_use' || type === 'server_tool_use') requireObject(json['input'], `${path}.input`);
  checkCacheControl(json, path, betas);
}

function checkResultContent(json: JsonObject, path: string, betas: readonly string[]): void {
  const content = json['content'];
  if (content === undefined || content === null) return;
  readContent(content, `${path}.tool_result.content`, { place: 'tool_result', betas });
}
