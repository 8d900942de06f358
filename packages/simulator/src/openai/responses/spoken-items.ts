import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { seal } from '../../seal.ts';
import type { Step, StepCall } from '../../script.ts';
import { defaultThought } from '../../thought.ts';
import { findTool, knownTools } from './callable-tools.ts';
import type { KnownTool } from './callable-tools.ts';
import type { ResponsesRequest } from './request.ts';
import { fullName } from './request.ts';
import { lookFor } from './tool-search.ts';
import type { Search, SearchContext } from './tool-search.ts';
import { toolFreedom } from './tool-choice.ts';
import { completeItem } from './written-items.ts';

/** What the model says in one response. */
export interface SpokenItems {
  readonly items: readonly JsonObject[];
  /** Why the response is not whole, in the API's words; `undefined` where it is. */
  readonly incompleteReason: string | undefined;
}

/**
 * Says a step as output items: a thought where the request asks for one, then text, searches and calls. A tool that
 * still waits is searched for first. Where the client searches, the response ends with that, and the same step is said
 * once the client has answered; its text waits until then.
 */
export function sayItems(
  request: ResponsesRequest,
  step: Step,
  ids: (prefix: string) => string,
): SpokenItems {
  const incompleteReason = incompleteReasons[step.stop ?? ''];
  if (step.blocks !== undefined) {
    return { items: step.blocks.map((item) => completeItem(item, ids)), incompleteReason };
  }
  const context: SearchContext = { request, ids, loaded: new Set() };
  const thought = thoughtItems(request, step, ids);
  const search = searchFirst(step, context);
  if (search.isWaiting) return { items: [...thought, ...search.items], incompleteReason: undefined };
  const calls = allowedCalls(request, step).map((call) => callItem(call, context));
  const text = step.text ?? (search.items.length + calls.length === 0 ? 'ok' : undefined);
  const said = text === undefined ? [] : [messageItem(text, { isRefusal: step.stop === 'refusal', ids })];
  const items = [...thought, ...said, ...search.items, ...calls];
  return { items: incompleteReason === undefined ? items : breakLast(items), incompleteReason };
}

const incompleteReasons: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** An answer that was cut stops within its last item. */
function breakLast(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.map((item, at) => (at < items.length - 1 ? item : { ...item, status: 'incomplete' }));
}

/** Looks for what the step says, then for each tool that it calls and that waits, until the client has to answer. */
function searchFirst(step: Step, context: SearchContext): Search {
  const { request, loaded } = context;
  const queries = step.search === undefined ? [] : [{ query: step.search, limit: step.limit }];
  const tools = allowedCalls(request, step).flatMap((call) => findTool(knownTools(request), call.tool) ?? []);
  const items: JsonObject[] = [];
  for (const wanted of [...queries, ...tools.map((tool) => ({ tool }))]) {
    if ('tool' in wanted && (wanted.tool.isLoaded || loaded.has(fullName(wanted.tool)))) continue;
    const search = lookFor(wanted, context);
    items.push(...search.items);
    if (search.isWaiting) return { items, isWaiting: true };
  }
  return { items, isWaiting: false };
}

/** `tool_choice` may forbid all calls, `parallel_tool_calls` more than one at a time. */
function allowedCalls({ body }: ResponsesRequest, { calls }: Step): readonly StepCall[] {
  if (body['tool_choice'] === 'none') return [];
  return body['parallel_tool_calls'] === false ? calls.slice(0, 1) : calls;
}

/** The call, or a text that names the tool which can't be called. */
function callItem(call: StepCall, { request, ids, loaded }: SearchContext): JsonObject {
  const tool = findTool(knownTools(request), call.tool);
  const isFound = tool !== undefined && (tool.isFound || loaded.has(fullName(tool)));
  const canCall = tool !== undefined && (tool.isLoaded || isFound) && toolFreedom(request).mayCall(tool);
  if (tool === undefined || !canCall) {
    if (!call.force) return messageItem(`no tool ${call.tool}`, { ids });
    return functionCall({ name: tool?.name ?? call.tool, namespace: tool?.namespace }, call, ids);
  }
  const named = { name: tool.name, namespace: tool.namespace ?? (isFound ? tool.name : undefined) };
  return tool.kind === 'custom' ? customCall(named, call, ids) : functionCall(named, call, ids);
}

type ToolNames = Pick<KnownTool, 'name' | 'namespace'>;

function functionCall(named: ToolNames, { input }: StepCall, ids: (prefix: string) => string): JsonObject {
  return {
    type: 'function_call',
    id: ids('fc_'),
    ...callMembers(named, ids),
    arguments: JSON.stringify(input),
  };
}

/** A custom tool takes a text: the step's `input.input`, else its input as JSON. */
function customCall(named: ToolNames, { input }: StepCall, ids: (prefix: string) => string): JsonObject {
  const text = textOf(input['input']) ?? JSON.stringify(input);
  return { type: 'custom_tool_call', id: ids('ctc_'), ...callMembers(named, ids), input: text };
}

function callMembers({ name, namespace }: ToolNames, ids: (prefix: string) => string): JsonObject {
  return {
    call_id: ids('call_'),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    status: 'completed',
  };
}

function messageItem(
  text: string,
  { isRefusal = false, ids }: { readonly isRefusal?: boolean; readonly ids: (prefix: string) => string },
): JsonObject {
  const part = isRefusal
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
  return { type: 'message', id: ids('msg_'), status: 'completed', role: 'assistant', content: [part] };
}

/** A thought shows in its summary if one is asked for, and is sealed if the client wants to carry it. */
function thoughtItems(
  { body }: ResponsesRequest,
  step: Step,
  ids: (prefix: string) => string,
): readonly JsonObject[] {
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {};
  const hasSummary = typeof (reasoning['summary'] ?? reasoning['generate_summary']) === 'string';
  const isAsked = hasSummary || (typeof reasoning['effort'] === 'string' && reasoning['effort'] !== 'none');
  if (!isAsked && step.thinking === undefined) return [];
  const thought = step.thinking ?? defaultThought;
  const include: readonly unknown[] = Array.isArray(body['include']) ? body['include'] : [];
  const isSealed = include.includes('reasoning.encrypted_content');
  return [
    {
      type: 'reasoning',
      id: ids('rs_'),
      summary: hasSummary ? [{ type: 'summary_text', text: thought }] : [],
      ...(isSealed ? { encrypted_content: seal(thought) } : {}),
    },
  ];
}
