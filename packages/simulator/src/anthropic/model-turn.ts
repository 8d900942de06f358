import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { defaultThought } from '../thought.ts';
import { loadedTools } from './loaded-tools.ts';
import type { MessagesRequest, Tool } from './request.ts';
import type { Step, StepCall } from '../script.ts';
import { exactNameInput, searchTools } from './search.ts';

/** What the model answers with. */
export interface ModelTurn {
  readonly blocks: readonly JsonObject[];
  readonly stopReason: string;
}

/** A search and its result. */
type SearchPair = readonly [JsonObject, JsonObject];

interface TurnContext {
  readonly ids: (prefix: string) => string;
  /** Signs a thinking text at its place in the reply: behind these blocks of it. */
  readonly sign: (thinking: string, before: readonly JsonObject[]) => string;
}

/**
 * Plays one turn of the model: thinking first where the request asks for it, then text, then searches and calls. A
 * deferred tool that nothing has loaded yet is searched for by its exact name before it is called, in the same
 * response; one that can't be called at all is named in a text.
 */
export function playTurn(request: MessagesRequest, step: Step, context: TurnContext): ModelTurn {
  if (request.body['max_tokens'] === 0) return { blocks: [], stopReason: 'max_tokens' };
  if (step.blocks !== undefined) return rawTurn(step.blocks, step.stop, context);
  const blocks = [
    ...thinkingBlocks(request, step, context),
    ...(step.text === undefined ? [] : [textBlock(step.text)]),
    ...actionBlocks(request, step, context),
  ];
  if (blocks.every((block) => block['type'] === 'thinking')) blocks.push(textBlock('ok'));
  return { blocks, stopReason: step.stop ?? stopReasonOf(blocks) };
}

function actionBlocks(request: MessagesRequest, step: Step, context: TurnContext): readonly JsonObject[] {
  const search = request.tools.find((tool) => tool.kind === 'search');
  const loaded = new Set(loadedTools(request).keys());
  const look = (tool: Tool, input: JsonObject): SearchPair => {
    const pair = searchPair(tool, input, { request, context });
    referencedBy(pair[1]).forEach((name) => loaded.add(name));
    return pair;
  };
  const asked =
    search === undefined || step.search === undefined ? [] : [look(search, queryInput(search, step))];
  const made = allowedCalls(request, step.calls).map((call) => {
    const isWaiting = request.tools.some((tool) => tool.name === call.tool && tool.isDeferred);
    const pairs =
      isWaiting && !loaded.has(call.tool) && search !== undefined
        ? [look(search, exactNameInput(search, call.tool))]
        : [];
    const isCallable = loaded.has(call.tool) || call.force;
    return { pairs, block: isCallable ? callBlock(call, context) : textBlock(`no tool ${call.tool}`) };
  });
  if (!step.together) {
    return [...asked.flat(), ...made.flatMap(({ pairs, block }) => [...pairs.flat(), block])];
  }
  const pairs = [...asked, ...made.flatMap((one) => one.pairs)];
  return [
    ...pairs.map(([use]) => use),
    ...pairs.map(([, result]) => result),
    ...made.map((one) => one.block),
  ];
}

/** `tool_choice` may forbid calls, or more than one at a time. */
function allowedCalls(request: MessagesRequest, calls: readonly StepCall[]): readonly StepCall[] {
  const choice = isObject(request.body['tool_choice']) ? request.body['tool_choice'] : {};
  if (choice['type'] === 'none') return [];
  return choice['disable_parallel_tool_use'] === true ? calls.slice(0, 1) : calls;
}

function queryInput(search: Tool, step: Step): JsonObject {
  const limit = step.limit === undefined ? {} : { limit: step.limit };
  return search.search === 'regex' ? { pattern: step.search, ...limit } : { query: step.search, ...limit };
}

function searchPair(
  search: Tool,
  input: JsonObject,
  { request, context }: { readonly request: MessagesRequest; readonly context: TurnContext },
): SearchPair {
  const id = context.ids('srvtoolu_');
  return [
    { type: 'server_tool_use', id, name: search.name, input, caller: { type: 'direct' } },
    { type: 'tool_search_tool_result', tool_use_id: id, content: searchTools(search, input, request.tools) },
  ];
}

function referencedBy(result: JsonObject): readonly string[] {
  const content = isObject(result['content']) ? result['content'] : {};
  const references: readonly unknown[] = Array.isArray(content['tool_references'])
    ? content['tool_references']
    : [];
  return references.filter(isObject).map((reference) => String(reference['tool_name']));
}

function callBlock({ tool, input }: StepCall, context: TurnContext): JsonObject {
  return { type: 'tool_use', id: context.ids('toolu_'), name: tool, input, caller: { type: 'direct' } };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

function thinkingBlocks(request: MessagesRequest, step: Step, context: TurnContext): readonly JsonObject[] {
  const asked = isObject(request.body['thinking']) ? request.body['thinking'] : {};
  const isOn = asked['type'] === 'adaptive' || asked['type'] === 'enabled';
  if (!isOn && step.thinking === undefined) return [];
  const thinking = asked['display'] === 'omitted' ? '' : (step.thinking ?? defaultThought);
  return [{ type: 'thinking', thinking, signature: context.sign(thinking, []) }];
}

/** Blocks as the script wrote them; ids and signatures that it left out are made up. */
function rawTurn(written: readonly JsonObject[], stop: string | undefined, context: TurnContext): ModelTurn {
  let searchId = '';
  const blocks: JsonObject[] = [];
  const complete = (block: JsonObject): JsonObject => {
    switch (block['type']) {
      case 'tool_use':
        return { ...block, id: block['id'] ?? context.ids('toolu_'), input: block['input'] ?? {} };
      case 'server_tool_use':
        searchId = textOf(block['id']) ?? context.ids('srvtoolu_');
        return { ...block, id: searchId, input: block['input'] ?? {} };
      case 'tool_search_tool_result':
        return { ...block, tool_use_id: block['tool_use_id'] ?? searchId };
      case 'thinking':
        return {
          ...block,
          signature: block['signature'] ?? context.sign(textOf(block['thinking']) ?? '', blocks),
        };
      default:
        return block;
    }
  };
  for (const block of written) blocks.push(complete(block));
  return { blocks, stopReason: stop ?? stopReasonOf(blocks) };
}

function stopReasonOf(blocks: readonly JsonObject[]): string {
  return blocks.some((block) => block['type'] === 'tool_use') ? 'tool_use' : 'end_turn';
}
