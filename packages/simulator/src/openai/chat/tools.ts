import { isObject, textOf } from '../../json.ts';
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
import type { ChatRequest, ChatTool } from './request.ts';

/** The tools of a Chat request, each entry's shape checked; none of them can be deferred. */
export function readChatTools(value: unknown): readonly ChatTool[] {
  if (value === undefined || value === null) return [];
  const list = requireList(value, 'tools');
  if (list.length === 0) {
    const message =
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    throw refuseMember(message, 'empty_array', 'tools');
  }
  const tools = list.map((item, index) =>
    readTool(requireObject(item, `tools[${index}]`), `tools[${index}]`),
  );
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  // OpenAI's own wording is not known.
  throw refuseMember(
    `Duplicate tool name '${twice}' in 'tools'. Tool names must be unique.`,
    'invalid_value',
    'tools',
  );
}

function readTool(entry: JsonObject, path: string): ChatTool {
  const kind = requireText(entry, 'type', { path });
  refuseOther(kind, `${path}.type`, ['function', 'custom']);
  if (kind === 'custom') {
    const definition = requireObject(entry['custom'], `${path}.custom`);
    const name = requireText(definition, 'name', { path: `${path}.custom` });
    checkFunctionName(name, `${path}.custom.name`);
    return { kind, name, definition };
  }
  const at = `${path}.function`;
  const definition = requireObject(entry['function'], at);
  refuseUnknown(entry, path, ['function', 'type']);
  const name = requireText(definition, 'name', { path: at });
  checkFunctionName(name, `${at}.name`);
  refuseUnknown(definition, at, ['description', 'name', 'parameters', 'strict']);
  refuseType(definition, at, { description: 'string', strict: 'boolean' });
  if (definition['parameters'] !== undefined && definition['parameters'] !== null) {
    checkFunctionSchema(requireObject(definition['parameters'], `${at}.parameters`), {
      name,
      path: `${at}.parameters`,
      isStrict: definition['strict'] === true,
    });
  }
  return { kind: 'function', name, definition };
}

/** What `tool_choice` leaves the model. */
export interface ChatFreedom {
  readonly forced: string | undefined;
  canCall(name: string): boolean;
}

export function chatFreedom({ tools, body }: Pick<ChatRequest, 'tools' | 'body'>): ChatFreedom {
  const choice = body['tool_choice'];
  const isDeclared = (name: string): boolean => tools.some((tool) => tool.name === name);
  if (choice === 'none') return { forced: undefined, canCall: () => false };
  if (choice === 'required') return { forced: tools[0]?.name, canCall: isDeclared };
  if (!isObject(choice)) return { forced: undefined, canCall: isDeclared };
  if (choice['type'] !== 'allowed_tools') return { forced: nameIn(choice), canCall: isDeclared };
  const allowed = isObject(choice['allowed_tools']) ? choice['allowed_tools'] : {};
  const list: readonly unknown[] = Array.isArray(allowed['tools']) ? allowed['tools'] : [];
  const names = list.filter(isObject).map(nameIn);
  return {
    forced: allowed['mode'] === 'required' ? names[0] : undefined,
    canCall: (name) => isDeclared(name) && names.includes(name),
  };
}

/** A named tool must be there. */
export function checkChatChoice(request: Pick<ChatRequest, 'tools' | 'body'>): void {
  const choice = request.body['tool_choice'];
  if (typeof choice === 'string') refuseOther(choice, 'tool_choice', ['none', 'auto', 'required']);
  const name = isObject(choice) ? nameIn(choice) : undefined;
  if (name === undefined || request.tools.some((tool) => tool.name === name)) return;
  throw refuseMember(`Tool choice '${name}' not found in 'tools' parameter.`, undefined, 'tool_choice');
}

function nameIn(choice: JsonObject): string | undefined {
  const named = choice[String(choice['type'])];
  return isObject(named) ? textOf(named['name']) : undefined;
}
