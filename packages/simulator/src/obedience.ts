import { isObject, textOf } from './json.ts';
import type { JsonObject } from './json.ts';
import { loadedTools } from './loaded-tools.ts';
import type { MessagesRequest } from './request.ts';
import type { Step } from './script.ts';

const silent: Step = {
  thinking: undefined,
  text: undefined,
  search: undefined,
  limit: undefined,
  calls: [],
  together: false,
  blocks: undefined,
  stop: undefined,
};

/**
 * What the simulated model does with a prompt that scripts nothing. It follows a plain instruction: where the newest
 * text says "call" or "use" and then the exact name of a declared client tool, it calls that tool, handing on a
 * `nonce` that the text names if the tool takes one. A forced `tool_choice` is obeyed too. Otherwise it says "ok".
 */
export function obey(request: MessagesRequest): Step {
  const text = lastPrompt(request);
  const name = forcedTool(request) ?? toolToCall(text, request);
  if (name === undefined) return silent;
  return { ...silent, calls: [{ tool: name, input: inputFor(name, text, request), force: false }] };
}

/** The last text block of the conversation's last message, if that is the user's; a tool's result is no instruction. */
function lastPrompt({ messages }: MessagesRequest): string {
  const last = messages.findLast((message) => message.role !== 'system');
  const block = last?.role === 'user' ? last.blocks.at(-1) : undefined;
  return block?.type === 'text' ? String(block.json['text']) : '';
}

function forcedTool(request: MessagesRequest): string | undefined {
  const choice = request.body['tool_choice'];
  if (!isObject(choice)) return undefined;
  if (choice['type'] === 'tool') return textOf(choice['name']);
  return choice['type'] === 'any' ? [...loadedTools(request).keys()][0] : undefined;
}

/** The declared name that stands first after the first "call" or "use". */
function toolToCall(text: string, request: MessagesRequest): string | undefined {
  const order = text.search(/\b(?:call|use)\b/i);
  if (order < 0) return undefined;
  const words = new Map<string, number>();
  for (const match of text.slice(order).matchAll(/[a-zA-Z0-9_-]+/g)) {
    if (!words.has(match[0])) words.set(match[0], match.index);
  }
  const named = request.tools.filter((tool) => tool.kind === 'client' && words.has(tool.name));
  return named.toSorted((a, b) => (words.get(a.name) ?? 0) - (words.get(b.name) ?? 0))[0]?.name;
}

function inputFor(name: string, text: string, request: MessagesRequest): JsonObject {
  const definition = request.tools.find((tool) => tool.name === name)?.definition;
  const schema = isObject(definition?.['input_schema']) ? definition['input_schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const nonce = /\bnonce(?:\s*[=:]\s*|\s+)["'`]?([\w-]+)/.exec(text)?.[1];
  return nonce !== undefined && properties['nonce'] !== undefined ? { nonce } : {};
}
