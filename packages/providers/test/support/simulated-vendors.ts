import { catalog } from '@quartermaster/catalog';
import {
  createAnthropicModel,
  createGoogleModel,
  createOpenAiChatModel,
  createOpenAiResponsesModel,
} from '@quartermaster/providers';
import type { LanguageModel, LanguageModelOptions } from '@quartermaster/providers';
import { apiKey } from './simulated.ts';

/** One of the APIs behind the simulator. */
export interface SimulatedVendor {
  readonly api: LanguageModel['api'];
  /** The member in which a thought comes back to be sent again; the vendor's Chat has none. */
  readonly seal: 'signature' | 'encrypted_content' | 'thoughtSignature' | undefined;
  modelAt(
    upstream: { readonly url: URL },
    id?: string,
    changes?: Partial<LanguageModelOptions>,
  ): LanguageModel;
}

/** Anthropic, OpenAI Responses, OpenAI Chat, Gemini. */
export const simulatedVendors: readonly [SimulatedVendor, SimulatedVendor, SimulatedVendor, SimulatedVendor] =
  [
    {
      api: 'anthropic-messages',
      seal: 'signature',
      modelAt: ({ url }, id = 'claude-opus-5-5', changes = {}) =>
        createAnthropicModel({ provider: 'anthropic', id, apiKey, baseUrl: url, catalog, ...changes }),
    },
    {
      api: 'openai-responses',
      seal: 'encrypted_content',
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
      seal: undefined,
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
    {
      api: 'google-gemini',
      seal: 'thoughtSignature',
      modelAt: ({ url }, id = 'gemini-3.8-flash', changes = {}) =>
        createGoogleModel({ provider: 'google', id, apiKey, baseUrl: url, catalog, ...changes }),
    },
  ];
