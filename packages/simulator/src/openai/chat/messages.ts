import { objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import {
  missing,
  refuseMember,
  refuseOther,
  refuseUnknown,
  requireList,
  requireObject,
  requireText,
} from '../checks.ts';
import type { ChatMessage } from './request.ts';

const roles: Readonly<Record<string, readonly string[]>> = {
  system: ['content', 'name', 'role'],
  assistant: ['annotations', 'audio', 'content', 'name', 'refusal', 'role', 'tool_calls'],
  user: ['content', 'name', 'role'],
  tool: ['content', 'role', 'tool_call_id'],
  developer: ['content', 'name', 'role'],
};
const textParts = ['text'];
const parts: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

/** The messages, each one's shape checked, then whether calls and results belong together. */
export function readChatMessages(value: unknown): readonly ChatMessage[] {
  const list = requireList(value, 'messages');
  if (list.length === 0) {
    const message =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    throw refuseMember(message, 'empty_array', 'messages');
  }
  const messages = list.map((item, index) => {
    const path = `messages[${index}]`;
    return readMessage(requireObject(item, path), path);
  });
  checkPairing(messages);
  return messages;
}

function readMessage(json: JsonObject, path: string): ChatMessage {
  const role = requireText(json, 'role', { path });
  refuseOther(role, `${path}.role`, Object.keys(roles));
  refuseUnknown(json, path, roles[role] ?? []);
  if (role === 'tool') requireText(json, 'tool_call_id', { path });
  checkContent(json, role, path);
  checkCalls(json['tool_calls'], `${path}.tool_calls`);
  return { role, json };
}

function checkContent({ content, ...others }: JsonObject, role: string, path: string): void {
  const says = others['tool_calls'] ?? others['refusal'] ?? others['audio'];
  const mayBeAbsent = role === 'assistant' && says !== undefined && says !== null;
  if (typeof content === 'string' || ((content === undefined || content === null) && mayBeAbsent)) return;
  if (content === undefined && role !== 'assistant') throw missing(`${path}.content`);
  if (content === undefined || content === null) {
    throw refuseMember(
      "Invalid value for 'content': expected a string, got null.",
      undefined,
      `${path}.content`,
    );
  }
  requireList(content, `${path}.content`).forEach((part, index) => {
    const at = `${path}.content[${index}]`;
    const object = requireObject(part, at);
    const type = requireText(object, 'type', { path: at });
    refuseOther(type, `${at}.type`, parts[role] ?? textParts);
    if (type === 'text') requireText(object, 'text', { path: at });
  });
}

function checkCalls(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  const calls = requireList(value, path);
  if (calls.length === 0) {
    throw refuseMember(
      `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      'empty_array',
      path,
    );
  }
  calls.forEach((item, index) => {
    const at = `${path}[${index}]`;
    const call = requireObject(item, at);
    requireText(call, 'id', { path: at });
    const type = requireText(call, 'type', { path: at });
    refuseOther(type, `${at}.type`, ['function', 'custom']);
    const named = requireObject(call[type], `${at}.${type}`);
    const textKey = type === 'custom' ? 'input' : 'arguments';
    requireText(named, 'name', { path: `${at}.${type}` });
    requireText(named, textKey, { path: `${at}.${type}` });
    refuseUnknown(named, `${at}.${type}`, ['name', textKey]);
  });
}

/** Each call is answered by the tool messages right after it, each tool message answers such a call (§2.4). */
function checkPairing(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  let known: ReadonlySet<string> = new Set();
  for (const [index, { role, json }] of messages.entries()) {
    if (role === 'tool') {
      checkAnswer(textOf(json['tool_call_id']) ?? '', known, index);
      open.delete(textOf(json['tool_call_id']) ?? '');
      continue;
    }
    refuseOpen(open, index);
    open = new Set(objectsIn(json['tool_calls']).map((call) => textOf(call['id']) ?? ''));
    known = new Set(open);
  }
  refuseOpen(open, messages.length);
}

function checkAnswer(callId: string, known: ReadonlySet<string>, index: number): void {
  if (known.size === 0) {
    throw refuseMember(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      undefined,
      `messages.[${index}].role`,
    );
  }
  if (known.has(callId)) return;
  throw refuseMember(
    `Invalid parameter: 'tool_call_id' of '${callId}' not found in 'tool_calls' of previous message.`,
    undefined,
    `messages.[${index}].tool_call_id`,
  );
}

function refuseOpen(open: ReadonlySet<string>, index: number): void {
  if (open.size === 0) return;
  throw refuseMember(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    undefined,
    `messages.[${index}].role`,
  );
}
