import { objectsIn } from '../../json.ts';
import type { JsonObject } from '../../json.ts';

/** An item as the script wrote it; ids that it left out are made up. */
export function completeItem(item: JsonObject, ids: (prefix: string) => string): JsonObject {
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
