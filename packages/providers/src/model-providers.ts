import type { ModelLister, ModelProvider } from '@quartermaster/agent/models';
import type { Settings } from '@quartermaster/agent/settings';
import type { Catalog } from '@quartermaster/catalog';
import { createAnthropicLister } from './anthropic-lister.ts';
import { createGoogleLister } from './google-lister.ts';
import type { ListerOptions } from './listing.ts';
import { createOpenaiLister } from './openai-lister.ts';

/** Retired on 2026-06-15; successors as the release notes of the vendor's platform name them. */
const anthropicSuccessors = {
  'claude-sonnet-4-0': 'claude-sonnet-4-6',
  'claude-sonnet-4-20250514': 'claude-sonnet-4-6',
  'claude-opus-4-0': 'claude-opus-4-8',
  'claude-opus-4-20250514': 'claude-opus-4-8',
};

/** Shut down on 2026-10-23; successors as the vendor's deprecations page names them. */
const openaiSuccessors = {
  'gpt-3.5-turbo': 'gpt-5.6-terra',
  'gpt-4': 'gpt-5.6-sol',
  'gpt-4-turbo': 'gpt-5.6-sol',
  o1: 'gpt-5.6-sol',
  'o3-mini': 'gpt-5.6-sol',
  'o4-mini': 'gpt-5.6-terra',
};

/** Shut down by 2026-12-01; successors as the vendor's deprecations page names them. */
const googleSuccessors = {
  'gemini-2.5-pro': 'gemini-3.8-flash',
  'gemini-2.5-flash': 'gemini-3.5-flash-lite',
};

/** Those of the vendor's deprecations page, November 2026; the catalog holds no prices of Google's. */
const googleModels: readonly string[] = [
  'gemini-3.8-flash',
  'gemini-3.7-flash',
  'gemini-3.6-flash',
  'gemini-3.5-flash',
  'gemini-3.5-flash-lite',
  'gemini-3.1-flash-lite',
  'gemini-2.5-flash-lite',
];

/** The providers that there are, with a lister for each that has a key. */
export function createModelProviders(settings: Settings, catalog: Catalog): readonly ModelProvider[] {
  const { anthropicApiKey, anthropicBaseUrl, openaiApiKey, openaiBaseUrl, googleApiKey, googleBaseUrl } =
    settings;
  const idsOf = (provider: string): readonly string[] =>
    catalog.models.filter((model) => model.provider === provider).map(({ id }) => id);
  return [
    {
      name: 'anthropic',
      staticModels: idsOf('anthropic'),
      successors: anthropicSuccessors,
      owns: (id) => id.startsWith('claude-'),
      spellings: (id) => spellingsIn(catalog, id),
      ...withLister(createAnthropicLister, anthropicApiKey, anthropicBaseUrl),
    },
    {
      name: 'openai',
      staticModels: idsOf('openai'),
      successors: openaiSuccessors,
      owns: (id) => /^(gpt-|chatgpt-|o\d|ft:)/.test(id),
      spellings: (id) => spellingsIn(catalog, id),
      ...withLister(createOpenaiLister, openaiApiKey, openaiBaseUrl),
    },
    {
      name: 'google',
      staticModels: googleModels,
      successors: googleSuccessors,
      owns: (id) => id.startsWith('gemini-'),
      ...withLister(createGoogleLister, googleApiKey, googleBaseUrl),
    },
  ];
}

function withLister(
  create: (options: ListerOptions) => ModelLister,
  apiKey: Settings['anthropicApiKey'],
  baseUrl: URL | undefined,
): Pick<ModelProvider, 'lister'> {
  return apiKey === undefined
    ? {}
    : { lister: create({ apiKey, ...(baseUrl !== undefined && { baseUrl }) }) };
}

/** The dated id of a name without a date; a date that nobody lists stays unknown. */
function spellingsIn(catalog: Catalog, id: string): readonly string[] {
  const model = catalog.find(id);
  return model?.id.startsWith(`${id}-`) === true ? [model.id] : [];
}
