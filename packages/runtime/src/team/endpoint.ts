import type { ModelLister, ModelProvider } from '@quartermaster/agent/models';
import { createSecret } from '@quartermaster/agent/settings';
import type { Secret, Settings, Variables } from '@quartermaster/agent/settings';
import { createAnthropicLister, createGoogleLister, createOpenaiLister } from '@quartermaster/providers';
import type { ListerOptions } from '@quartermaster/providers';
import type { FileModel } from '../agent-file/agent-file.ts';

/** A vendor whose API is spoken. */
export type Vendor = FileModel['provider'];

/** Where a model is asked, and with what key. */
export interface Endpoint {
  readonly vendor: Vendor;
  /** The variable that holds the key, for people. */
  readonly variable: string;
  readonly apiKey: Secret | undefined;
  /** The vendor's own by default. */
  readonly baseUrl: URL | undefined;
}

const listers: Readonly<Record<Vendor, (options: ListerOptions) => ModelLister>> = {
  anthropic: createAnthropicLister,
  openai: createOpenaiLister,
  google: createGoogleLister,
};

/** Where the settings say that a vendor is. */
export function endpointOfVendor(vendor: Vendor, settings: Settings): Endpoint {
  switch (vendor) {
    case 'anthropic': {
      const { anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = settings;
      return { vendor, variable: 'ANTHROPIC_API_KEY', apiKey, baseUrl };
    }
    case 'openai': {
      const { openaiApiKey: apiKey, openaiBaseUrl: baseUrl } = settings;
      return { vendor, variable: 'OPENAI_API_KEY', apiKey, baseUrl };
    }
    case 'google': {
      const { googleApiKey: apiKey, googleBaseUrl: baseUrl } = settings;
      return { vendor, variable: 'GEMINI_API_KEY', apiKey, baseUrl };
    }
  }
}

/**
 * Where an agent file says that a model is: what it leaves out is the vendor's. A key of the settings never goes to an
 * address of the file: whoever wrote the file would have it (C4).
 */
export function endpointOfModel(
  { provider, baseUrl, credential }: FileModel,
  { settings, env }: { readonly settings: Settings; readonly env: Variables },
): Endpoint {
  const vendor = endpointOfVendor(provider, settings);
  if (credential === undefined && baseUrl === undefined) return vendor;
  const key = credential === undefined ? undefined : env[credential]?.trim();
  const isSet = key !== undefined && key !== '';
  return {
    vendor: provider,
    variable: credential ?? `the variable that its credential names`,
    apiKey: isSet ? createSecret(key) : undefined,
    baseUrl: baseUrl ?? vendor.baseUrl,
  };
}

/** A provider of its own for the models of one endpoint, which nobody has a static list of. */
export function toModelProvider(name: string, { vendor, apiKey, baseUrl }: Endpoint): ModelProvider {
  const lister =
    apiKey === undefined ? undefined : listers[vendor]({ apiKey, ...(baseUrl !== undefined && { baseUrl }) });
  return { name, staticModels: [], owns: () => false, ...(lister !== undefined && { lister }) };
}
