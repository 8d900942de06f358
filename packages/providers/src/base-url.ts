import type { LanguageModelOptions } from './model-options.ts';
import { ProviderError } from './provider-error.ts';

/**
 * Where to send requests. The vendor's own address is the default for the vendor alone: another provider's key and
 * prompts never go there by mistake (C4). Throws `ProviderError`.
 */
export function baseUrlOf(
  { provider, id, baseUrl }: LanguageModelOptions,
  vendor: { readonly provider: string; readonly url: string },
): string {
  if (baseUrl !== undefined) return baseUrl.href;
  if (provider === vendor.provider) return vendor.url;
  throw new ProviderError(
    'PROVIDER_MISCONFIGURED',
    `Expected a base URL for ${provider}/${id}: only ${vendor.provider} has one by itself. Give the provider's.`,
  );
}
