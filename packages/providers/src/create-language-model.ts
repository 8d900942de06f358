import type { ModelApi } from '@quartermaster/agent/messages';
import { createAnthropicModel } from './anthropic/model.ts';
import { createGoogleModel } from './google/model.ts';
import type { LanguageModel } from './language-model.ts';
import type { LanguageModelOptions } from './model-options.ts';
import { createOpenAiChatModel } from './openai/chat-model.ts';
import { createOpenAiResponsesModel } from './openai/responses-model.ts';

const creators: Readonly<Record<ModelApi, (options: LanguageModelOptions) => LanguageModel>> = {
  'anthropic-messages': createAnthropicModel,
  'openai-responses': createOpenAiResponsesModel,
  'openai-chat': createOpenAiChatModel,
  'google-gemini': createGoogleModel,
};

/** What the vendors' own models are spoken to in. */
const apisOfVendors: ReadonlyMap<string, ModelApi> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
  ['google', 'google-gemini'],
]);

/**
 * Makes a model of any provider (RP1). Without `api` it is the vendor's own, and Chat Completions for every other
 * provider. Throws `ProviderError` where a base URL is needed and missing.
 */
export function createLanguageModel({
  api,
  ...options
}: LanguageModelOptions & { readonly api?: ModelApi }): LanguageModel {
  return creators[api ?? apisOfVendors.get(options.provider) ?? 'openai-chat'](options);
}
