import { catalog } from '@quartermaster/catalog';
import {
  createAnthropicModel,
  createOpenAiChatModel,
  createOpenAiResponsesModel,
} from '@quartermaster/providers';
import type { LanguageModel, LanguageModelOptions } from '@quartermaster/providers';
import { apiKey } from './simulated.ts';

/** One of the APIs behind the simulator. */
export interface SimulatedVendor {
  readonly api: LanguageModel['api'];
  /** Whether thoughts come back to be sent again. */
  readonly keepsThoughts: boolean;
  modelAt(
    upstream: { readonly url: URL },
    id?: string,
    changes?: Partial<LanguageModelOptions>,
  ): LanguageModel;
}

export const simulatedVendors: readonly SimulatedVendor[] = [
  {
    api: 'anthropic-messages',
    keepsThoughts: true,
    modelAt: ({ url }, id = 'claude-opus-5-5', changes = {}) =>
      createAnthropicModel({ provider: 'anthropic', id, apiKey, baseUrl: url, catalog, ...changes }),
  },
  {
    api: 'openai-responses',
    keepsThoughts: true,
    modelAt: ({ url }, id = 'gpt-5.6-sol', changes = {}) =>
      createOpenAiResponsesModel({
        provider: 'openai',
        id,
        apiKey,
        baseUrl: new URL('/v1', url),
        catalog,
        ...changes,
      }),
  },
  {
    api: 'openai-chat',
    keepsThoughts: false,
    modelAt: ({ url }, id = 'gpt-5.6-sol', changes = {}) =>
      createOpenAiChatModel({
        provider: 'openai',
        id,
        apiKey,
        baseUrl: new URL('/v1', url),
        catalog,
        ...changes,
      }),
  },
];
