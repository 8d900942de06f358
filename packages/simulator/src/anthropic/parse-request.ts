import type { Catalog, Model } from '@quartermaster/catalog';
import { ApiError, refuse } from '../api-error.ts';
import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { loadedTools } from './loaded-tools.ts';
import { rulesOf } from './model-rules.ts';
import { bendBody, bendRequest, refuseByMode } from './neighbour.ts';
import type { SimulatorMode } from './neighbour.ts';
import type { MessagesRequest } from './request.ts';
import { checkBody } from './validate/body.ts';
import { readContent } from './validate/content.ts';
import { checkMarks } from './validate/marks.ts';
import { readMessages } from './validate/messages.ts';
import { checkPairing } from './validate/pairing.ts';
import { checkParameters } from './validate/parameters.ts';
import { checkPlacement } from './validate/placement.ts';
import { checkReferences } from './validate/references.ts';
import { requireObject } from './validate/schema.ts';
import { checkTexts } from './validate/texts.ts';
import { checkToolChanges } from './validate/tool-changes.ts';
import { checkToolList, readTools } from './validate/tools.ts';

interface ParseContext {
  readonly catalog: Catalog;
  readonly mode: SimulatorMode;
  readonly betas: readonly string[];
  /** count_tokens: no `max_tokens`, no `stream`. */
  readonly isCount: boolean;
}

/**
 * The request behind a body, or the API's error. Shapes are checked before meanings, those before the history, as
 * §1.16.2 proposes; within each the order is that of the body.
 */
export function parseRequest(json: unknown, context: ParseContext): MessagesRequest {
  const { betas, mode } = context;
  const sent = requireObject(json, 'body');
  refuseByMode(sent, mode, betas);
  const body = bendBody(sent, mode);
  checkBody(body, context);
  const model = requireModel(body, context.catalog);
  const takesSystem = model.capabilities.systemMessages && mode !== 'refuses-system-role';
  const request: MessagesRequest = {
    model,
    rules: rulesOf(model),
    tools: readTools(body['tools'], { model, betas }),
    // An empty string is no system prompt; an empty block would be refused.
    system: readContent(body['system'] || [], 'system', { place: 'top', betas }),
    messages: readMessages(body['messages'], { model, betas, takesSystem }),
    betas,
    body,
  };
  checkMeaning(request);
  return bendRequest(request, mode);
}

function checkMeaning(request: MessagesRequest): void {
  checkToolList(request.tools);
  checkParameters(request);
  checkMarks(request);
  checkTexts(request.system, request.messages);
  checkPlacement(request);
  checkPairing(request.messages);
  checkReferences(request.tools, request.messages);
  checkToolChanges(request.tools, request.messages);
  checkForcedTool(request);
}

/** Undocumented for a deferred tool that nothing has loaded (§1.12); we refuse it, since it can't be called. */
function checkForcedTool(request: MessagesRequest): void {
  const choice = request.body['tool_choice'];
  const name = isObject(choice) ? textOf(choice['name']) : undefined;
  const isDeferred = request.tools.some((tool) => tool.name === name && tool.isDeferred);
  if (name === undefined || !isDeferred || loadedTools(request).has(name)) return;
  throw refuse(
    `tool_choice: tool '${name}' has defer_loading=true and has not been loaded by a tool reference.`,
  );
}

function requireModel(body: JsonObject, catalog: Catalog): Model {
  const id = String(body['model']);
  const model = catalog.find(id);
  if (model?.provider === 'anthropic') return model;
  throw new ApiError('not_found_error', `model: ${id}`);
}
