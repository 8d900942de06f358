import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { seal } from '../../seal.ts';
import type { Step, StepCall } from '../../script.ts';
import { defaultThought } from '../../thought.ts';
import { findTool, knownTools } from './callable-tools.ts';
import type { KnownTool } from './callable-tools.ts';
import type { ResponsesRequest } from './request.ts';
import { fullName } from './request.ts';
import { lookFor } from './tool-search.ts';
import type { SearchContext } from './tool-search.ts';
import { toolFreedom } from './tool-choice.ts';

/** What the model says in one response. */
export interface SpokenItems {
  readonly items: readonly JsonObject[];
  /** Why the response is not whole, in the API's words; `undefined` where it is. */
  readonly incompleteReason: string | undefined;
}

/**
 * Says a step as output items: a thought where the request asks for one, then text, then searches and calls. A tool
 * that still waits is searched for first: by the server within the response, by the client at its end, and then the
 * same step is said again once the client has answered.
 */
export function sayItems(
  request: ResponsesRequest,
  step: Step,
  ids: (prefix: string) => string,
): SpokenItems {
  const incompleteReason = incompleteReasons[step.stop ?? ''];
  if (step.blocks !== undefined) {
    return { items: step.blocks.map((item) => withIds(item, ids)), incompleteReason };
  }
  const items = [
    ...thoughtItems(request, step, ids),
    ...(step.text === undefined ? [] : [messageItem(step, ids)]),
    ...actionItems(request, step, ids),
  ];
  if (items.every((item) => item['type'] === 'reasoning'))
    items.push(messageItem({ ...step, text: 'ok' }, ids));
  if (incompleteReason === undefined) return { items, incompleteReason };
  return {
    items: items.map((item, at) => (at < items.length - 1 ? item : { ...item, status: 'incomplete' })),
    incompleteReason,
  };
}

const incompleteReasons: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
};

function actionItems(
  request: ResponsesRequest,
  step: Step,
  ids: (prefix: string) => string,
): readonly JsonObject[] {
  const items: JsonObject[] = [];
  const context: SearchContext = { request, ids, loaded: new Set() };
  const freedom = toolFreedom(request);
  const calls = request.body['parallel_tool_calls'] === false ? step.calls.slice(0, 1) : step.calls;
  if (step.search !== undefined) {
    const search = lookFor({ query: step.search, limit: step.limit }, context);
    items.push(...search.items);
    if (search.isWaiting) return items;
  }
  for (const call of calls) {
    const tool = findTool(knownTools(request), call.tool);
    if (
      tool !== undefined &&
      !tool.isLoaded &&
      freedom.mayCall(tool) &&
      !context.loaded.has(fullName(tool))
    ) {
      const search = lookFor({ tool }, context);
      items.push(...search.items);
      if (search.isWaiting) return items;
    }
    items.push(...callItems(call, { tool, context, mayCall: tool === undefined || freedom.mayCall(tool) }));
  }
  return request.body['tool_choice'] === 'none' ? [] : items;
}

function callItems(
  call: StepCall,
  {
    tool,
    context,
    mayCall,
  }: { readonly tool: KnownTool | undefined; readonly context: SearchContext; readonly mayCall: boolean },
): readonly JsonObject[] {
  const { ids, loaded } = context;
  if (tool === undefined || !mayCall) {
    return call.force ? [callItem(call, { name: call.tool }, ids)] : [textItem(`no tool ${call.tool}`, ids)];
  }
  const isFound = tool.isFound || loaded.has(fullName(tool));
  if (!tool.isLoaded && !isFound && !call.force) return [textItem(`no tool ${call.tool}`, ids)];
  const namespace = tool.namespace ?? (isFound ? tool.name : undefined);
  return [callItem(call, { name: tool.name, namespace, isCustom: tool.kind === 'custom' }, ids)];
}

function callItem(
  { input }: StepCall,
  {
    name,
    namespace,
    isCustom = false,
  }: { readonly name: string; readonly namespace?: string | undefined; readonly isCustom?: boolean },
  ids: (prefix: string) => string,
): JsonObject {
  const call = {
    call_id: ids('call_'),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    status: 'completed',
  };
  if (!isCustom) return { type: 'function_call', id: ids('fc_'), ...call, arguments: JSON.stringify(input) };
  const text = textOf(input['input']) ?? JSON.stringify(input);
  return { type: 'custom_tool_call', id: ids('ctc_'), ...call, input: text };
}

function messageItem({ text = '', stop }: Step, ids: (prefix: string) => string): JsonObject {
  if (stop !== 'refusal') return textItem(text, ids);
  return { ...textItem('', ids), content: [{ type: 'refusal', refusal: text }] };
}

function textItem(text: string, ids: (prefix: string) => string): JsonObject {
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
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

/** Items as the script wrote them; ids that it left out are made up. */
function withIds(item: JsonObject, ids: (prefix: string) => string): JsonObject {
  const prefix = idPrefixes[String(item['type'])];
  const id = item['id'] ?? (prefix === undefined ? undefined : ids(prefix));
  const isCall = item['type'] === 'function_call' || item['type'] === 'custom_tool_call';
  const content = objectsIn(item['content']).map((part) =>
    part['type'] === 'output_text' ? { annotations: [], logprobs: [], ...part } : part,
  );
  return {
    status: 'completed',
    ...item,
    ...(id === undefined ? {} : { id }),
    ...(isCall ? { call_id: item['call_id'] ?? ids('call_') } : {}),
    ...(item['type'] === 'message' ? { role: 'assistant', content } : {}),
  };
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  reasoning: 'rs_',
  tool_search_call: 'tsc_',
  tool_search_output: 'tso_',
};
