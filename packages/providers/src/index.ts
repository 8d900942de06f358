export { createAnthropicLister } from './anthropic-lister.ts';
export { createGoogleLister } from './google-lister.ts';
export type { LanguageModel, ModelEvent, ModelRequest, ToolDeclaration } from './language-model.ts';
export type { ListerOptions } from './listing.ts';
export { createModelProviders } from './model-providers.ts';
export { createOpenaiLister } from './openai-lister.ts';
export { ProviderError, providerErrors } from './provider-error.ts';
export type { ProviderErrorCode, ProviderErrorTraits } from './provider-error.ts';
