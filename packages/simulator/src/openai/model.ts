import type { Catalog, Model } from '@quartermaster/catalog';
import { ApiError } from '../api-error.ts';
import type { JsonObject } from '../json.ts';
import type { SimulatorState } from '../state.ts';
import { listOf, missing, refuseMember, wrongType } from './checks.ts';

/** The model that a body names; a 404 where the catalog has none of OpenAI's by that id. */
export function requireModel(body: JsonObject, catalog: Catalog): Model {
  const id = body['model'];
  if (id === undefined) throw missing('model');
  if (typeof id !== 'string') throw wrongType('model', 'a string', id);
  const model = catalog.find(id);
  if (model?.provider === 'openai') return model;
  throw new ApiError(
    'not_found_error',
    `The model \`${id}\` does not exist or you do not have access to it.`,
    { detail: 'model_not_found' },
  );
}

/** Tokens that a prompt of the model may have. */
export function windowOf(state: SimulatorState, { id, capabilities }: Model): number {
  return state.windowOf(id, capabilities.contextTokens);
}

/** Whether a model thinks before it answers; such a one takes an effort. */
export function isReasoningModel({ capabilities }: Model): boolean {
  return capabilities.efforts.length > 0;
}

/** Refuses an effort that the model does not take, in the words of the API; what is none passes. */
export function refuseEffort(effort: unknown, { capabilities }: Model, api: EffortWords): void {
  const { efforts } = capabilities;
  if (typeof effort !== 'string' || efforts.includes(effort)) return;
  throw refuseMember(
    `Unsupported value: ${api.saying(effort)} Supported values are: ${listOf(efforts)}.`,
    'unsupported_value',
    api.param,
  );
}

/** How an API names an effort, and what it says of one that a model does not take. */
interface EffortWords {
  readonly param: string;
  saying(effort: string): string;
}

/** How hard a reasoning model may be asked to think. */
export const reasoningEfforts: readonly string[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
];

/** A reasoning model samples as it does by default. */
export function refuseSampling(body: JsonObject): void {
  const key = ['temperature', 'top_p'].find((name) => (body[name] ?? 1) !== 1);
  if (key === undefined) return;
  throw refuseMember(
    `Unsupported value: '${key}' does not support ${String(body[key])} with this model. Only the default (1) value is supported.`,
    'unsupported_value',
    key,
  );
}

/** Members that only one of the two kinds of models takes. */
export function refuseUnsupported(body: JsonObject, keys: readonly string[], hint = ''): void {
  const key = keys.find((name) => body[name] !== undefined && body[name] !== null);
  if (key === undefined) return;
  throw refuseMember(
    `Unsupported parameter: '${key}' is not supported with this model.${hint}`,
    'unsupported_parameter',
    key,
  );
}
