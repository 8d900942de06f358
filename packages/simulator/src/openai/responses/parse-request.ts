import { textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { SimulatorState } from '../../state.ts';
import { missing, refuseMember, requireObject } from '../checks.ts';
import { requireModel } from '../model.ts';
import { checkModelMembers, checkResponsesBody } from './body.ts';
import { readItems } from './items.ts';
import { checkPairing, checkReasoning, unknownItem } from './pairing.ts';
import type { Item, ResponsesRequest, ResponsesTool } from './request.ts';
import { checkToolChoice } from './tool-choice.ts';
import { checkDeferral, checkSchemas, readTools } from './tools.ts';

/** The request behind a body, or the API's error: shapes before meanings, those before the history. */
export function parseRequest(json: unknown, { options, stored }: SimulatorState): ResponsesRequest {
  const body = requireObject(json, 'body');
  if (body['model'] === undefined) throw missing('model');
  checkResponsesBody(body);
  const model = requireModel(body, options.catalog);
  checkModelMembers(body, model);
  const tools = readTools(body['tools'], { path: 'tools', model });
  const items = readItems(body['input']).map((item) => resolveReference(item, stored));
  const readFrom = (itemType: string): readonly ResponsesTool[] =>
    items
      .filter(({ type }) => type === itemType)
      .flatMap(({ json: item, path }) => readTools(item['tools'], { path: `${path}.tools`, model }));
  readFrom('tool_search_output');
  const declared = [...tools, ...readFrom('additional_tools')];
  checkSchemas(declared);
  checkDeferral(declared);
  const request = { model, tools, items: [...earlierItems(body, stored), ...items], body };
  checkPairing(request.items);
  checkReasoning(request.items, stored);
  checkToolChoice(request);
  return request;
}

function earlierItems(body: JsonObject, stored: SimulatorState['stored']): readonly Item[] {
  const id = textOf(body['previous_response_id']);
  if (id === undefined) return [];
  const items = stored.find(id);
  if (items === undefined) {
    throw refuseMember(
      `Previous response with id '${id}' not found.`,
      'previous_response_not_found',
      'previous_response_id',
    );
  }
  return items.map((json) => ({ type: textOf(json['type']) ?? 'message', json, path: id }));
}

function resolveReference(item: Item, stored: SimulatorState['stored']): Item {
  if (item.type !== 'item_reference') return item;
  const id = String(item.json['id']);
  const json = stored.findItem(id);
  if (json === undefined) throw unknownItem(id);
  return { type: textOf(json['type']) ?? 'message', json, path: item.path };
}
