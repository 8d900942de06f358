import type { Conversation } from './conversation.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { emptyStep } from './script.ts';
import type { Step } from './script.ts';

/**
 * What the simulated model does with a prompt that scripts nothing. It follows a plain instruction: where the newest
 * text says "call" or "use" and then the exact name of a declared client tool, it calls that tool, handing on a
 * `nonce` that the text names if the tool takes one. A forced tool is obeyed too. Otherwise it says "ok".
 */
export function obey({ prompt, tools, forcedTool }: Conversation): Step {
  const name = forcedTool ?? toolToCall(prompt, tools);
  if (name === undefined) return emptyStep;
  return { ...emptyStep, calls: [{ tool: name, input: inputFor(tools.get(name), prompt), force: false }] };
}

/** The declared name that stands first after the first "call" or "use". */
function toolToCall(text: string, tools: Conversation['tools']): string | undefined {
  const order = text.search(/\b(?:call|use)\b/i);
  if (order < 0) return undefined;
  return text
    .slice(order)
    .match(/[a-zA-Z0-9_-]+/g)
    ?.find((word) => tools.has(word));
}

function inputFor(schema: JsonObject | undefined, text: string): JsonObject {
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const nonce = /\bnonce(?:\s*[=:]\s*|\s+)["'`]?([\w-]+)/.exec(text)?.[1];
  return nonce !== undefined && properties['nonce'] !== undefined ? { nonce } : {};
}
