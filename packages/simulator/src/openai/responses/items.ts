import type { JsonObject } from '../../json.ts';
import {
  missing,
  refuseLonger,
  refuseMember,
  refuseOther,
  refuseUnknown,
  requireList,
  requireObject,
  requireText,
  wrongType,
} from '../checks.ts';
import type { Item } from './request.ts';

/** What an item of a type looks like; types that are not here are taken as they are. */
interface ItemShape {
  readonly keys: readonly string[];
  readonly required: readonly string[];
  /** How its id begins where it has one. */
  readonly prefix: string | undefined;
}

const call = ['id', 'status', 'type', 'call_id'];
const shapes: Readonly<Record<string, ItemShape>> = {
  function_call: {
    keys: [...call, 'arguments', 'async', 'caller', 'name', 'namespace'],
    required: ['call_id', 'name', 'arguments'],
    prefix: 'fc',
  },
  function_call_output: {
    keys: [...call, 'caller', 'created_by', 'name', 'output'],
    required: ['call_id', 'output'],
    prefix: 'fc',
  },
  custom_tool_call: {
    keys: [...call, 'caller', 'input', 'name', 'namespace'],
    required: ['call_id', 'name', 'input'],
    prefix: 'ctc',
  },
  custom_tool_call_output: {
    keys: [...call, 'caller', 'created_by', 'name', 'output'],
    required: ['call_id', 'output'],
    prefix: 'ctc',
  },
  reasoning: {
    keys: ['content', 'encrypted_content', 'id', 'status', 'summary', 'type'],
    required: ['summary'],
    prefix: 'rs',
  },
  tool_search_call: {
    keys: [...call, 'arguments', 'created_by', 'execution'],
    required: ['arguments'],
    prefix: 'tsc',
  },
  tool_search_output: {
    keys: [...call, 'created_by', 'execution', 'tools'],
    required: ['tools'],
    prefix: 'tso',
  },
  additional_tools: { keys: ['id', 'role', 'tools', 'type'], required: ['role', 'tools'], prefix: undefined },
  item_reference: { keys: ['id', 'type'], required: ['id'], prefix: undefined },
};
const otherTypes = [
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'compaction',
  'compaction_trigger',
  'computer_call',
  'computer_call_output',
  'configuration_update',
  'file_search_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'message',
  'program',
  'program_output',
  'shell_call',
  'shell_call_output',
  'web_search_call',
];
const itemTypes = [...Object.keys(shapes), ...otherTypes].toSorted();
const inputParts = ['input_text', 'input_image', 'input_audio', 'input_file'];
const outputParts = ['output_text', 'refusal'];
/** What parts say their text in. */
const partTexts: Readonly<Record<string, string>> = {
  input_text: 'text',
  output_text: 'text',
  refusal: 'refusal',
};
const maxCallIdLength = 64;

/** The items of `input`, each one's shape checked. */
export function readItems(input: unknown): readonly Item[] {
  if (input === undefined || input === null) throw missing('input');
  if (typeof input === 'string') return [messageOf(input)];
  if (!Array.isArray(input)) throw wrongType('input', 'one of a string or an array of objects', input);
  return input.map((item: unknown, index) =>
    readItem(requireObject(item, `input[${index}]`), `input[${index}]`),
  );
}

function messageOf(text: string): Item {
  const content = [{ type: 'input_text', text }];
  return { type: 'message', json: { type: 'message', role: 'user', content }, path: 'input' };
}

function readItem(json: JsonObject, path: string): Item {
  // A message may leave its type out.
  const isMessage = json['type'] === undefined && json['role'] !== undefined;
  const type = isMessage ? 'message' : requireText(json, 'type', { path });
  refuseOther(type, path, itemTypes);
  const item = { type, json, path };
  if (type === 'message') checkMessage(json, path);
  const shape = shapes[type];
  if (shape !== undefined) checkShape(json, path, shape);
  return item;
}

function checkShape(json: JsonObject, path: string, { keys, required, prefix }: ItemShape): void {
  const absent = required.find((key) => json[key] === undefined);
  if (absent !== undefined) throw missing(`${path}.${absent}`);
  refuseUnknown(json, path, keys);
  if (typeof json['call_id'] === 'string') {
    const callId = requireText(json, 'call_id', { path, mayBeEmpty: false });
    refuseLonger(callId, maxCallIdLength, `${path}.call_id`);
  }
  for (const key of ['name', 'input']) if (required.includes(key)) requireText(json, key, { path });
  // A function's arguments are a text, a search's an object (§2.2.2).
  if (json['type'] === 'function_call') requireText(json, 'arguments', { path });
  refuseOther(json['execution'], `${path}.execution`, ['server', 'client']);
  if (json['type'] === 'additional_tools') refuseOther(json['role'], `${path}.role`, ['developer']);
  if (prefix !== undefined) checkId(json['id'], `${path}.id`, prefix);
}

function checkMessage(json: JsonObject, path: string): void {
  const role = requireText(json, 'role', { path });
  refuseOther(role, `${path}.role`, ['assistant', 'system', 'developer', 'user']);
  refuseUnknown(json, path, ['content', 'id', 'phase', 'role', 'status', 'type']);
  if (role === 'assistant') checkId(json['id'], `${path}.id`, 'msg');
  const { content } = json;
  if (content === undefined) throw missing(`${path}.content`);
  if (typeof content === 'string') return;
  const allowed = role === 'assistant' ? outputParts : inputParts;
  requireList(content, `${path}.content`).forEach((part, index) => {
    const at = `${path}.content[${index}]`;
    const object = requireObject(part, at);
    const type = requireText(object, 'type', { path: at });
    refuseOther(type, at, allowed);
    const textKey = partTexts[type];
    if (textKey !== undefined) requireText(object, textKey, { path: at });
  });
}

function checkId(id: unknown, path: string, prefix: string): void {
  if (id === undefined || id === null) return;
  if (typeof id !== 'string') throw wrongType(path, 'a string', id);
  if (id.startsWith(prefix)) return;
  throw refuseMember(
    `Invalid '${path}': '${id}'. Expected an ID that begins with '${prefix}'.`,
    'invalid_value',
    path,
  );
}
