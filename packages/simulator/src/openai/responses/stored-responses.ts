import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';

/** The responses that were asked for with `store` (the API's default), for `previous_response_id` and references. */
export interface StoredResponses {
  keep(id: string, items: readonly JsonObject[]): void;
  /** The conversation up to and with the response, or `undefined`. */
  find(id: string): readonly JsonObject[] | undefined;
  findItem(id: string): JsonObject | undefined;
  hasItem(id: string): boolean;
  clear(): void;
}

const maxResponses = 1_000;

export function createStoredResponses(): StoredResponses {
  const responses = new Map<string, readonly JsonObject[]>();
  const items = new Map<string, JsonObject>();
  return {
    keep(id, conversation) {
      if (responses.size >= maxResponses) {
        responses.clear();
        items.clear();
      }
      responses.set(id, conversation);
      for (const item of conversation) {
        const itemId = isObject(item) ? textOf(item['id']) : undefined;
        if (itemId !== undefined) items.set(itemId, item);
      }
    },
    find: (id) => responses.get(id),
    findItem: (id) => items.get(id),
    hasItem: (id) => items.has(id),
    clear() {
      responses.clear();
      items.clear();
    },
  };
}
