import { priceRequest } from '@quartermaster/catalog';
import type { Model, RequestCost } from '@quartermaster/catalog';
import type { JsonObject } from '../json.ts';

/** Tokens of one answered request (§2.5); `input` includes what was read and written. */
export interface OpenaiTokens {
  readonly input: number;
  readonly cached: number;
  readonly writtenShort: number;
  readonly writtenLong: number;
  readonly output: number;
  /** Of the output. */
  readonly reasoning: number;
}

/** The tiers of service that a request may ask for. */
export const serviceTiers: readonly string[] = [
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
];

/** The tier that serves a request, as its answer says it: `fast` is the other name of `priority`. */
export function serviceTierOf({ service_tier: asked }: JsonObject): string {
  if (asked === 'fast') return 'priority';
  return asked === 'flex' || asked === 'priority' ? asked : 'default';
}

/** What a request costs by the catalog. */
export function priceTokens(model: Model, tokens: OpenaiTokens, body: JsonObject): RequestCost {
  const { input, cached, writtenShort, writtenLong, output } = tokens;
  const counts = {
    inputTokens: input - cached - writtenShort - writtenLong,
    cacheReadTokens: cached,
    cacheWriteShortTokens: writtenShort,
    cacheWriteLongTokens: writtenLong,
    outputTokens: output,
  };
  return priceRequest(model, counts, [serviceTierOf(body)]);
}
