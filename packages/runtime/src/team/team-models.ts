import { createModelDirectory, listModelUses } from '@quartermaster/agent/models';
import type { ModelCache, ModelUse } from '@quartermaster/agent/models';
import type { Settings, Variables } from '@quartermaster/agent/settings';
import { createLanguageModel, createModelProviders } from '@quartermaster/providers';
import type { LanguageModel, LanguageModelOptions } from '@quartermaster/providers';
import type { AgentFile, FileModel } from '../agent-file/agent-file.ts';
import { RuntimeError } from '../runtime-error.ts';
import { endpointOfModel, endpointOfVendor, toModelProvider } from './endpoint.ts';
import type { Endpoint, Vendor } from './endpoint.ts';

/** What models are found with. */
export interface TeamModelOptions {
  readonly file: Pick<AgentFile, 'agents' | 'models'>;
  readonly settings: Settings;
  /** Where the credentials stand that the file names. */
  readonly env: Variables;
  readonly catalog: LanguageModelOptions['catalog'];
  readonly clock: { now(): number };
  readonly warn: (message: string) => void;
  readonly cache?: ModelCache;
}

/** The models of a team, by the names that its agents use. */
export interface TeamModels {
  /**
   * Looks up every model that a run can use, `override` included, and applies all of them or none (M1). Rejects with
   * `MODEL_UNKNOWN`, and with `RUNTIME_NO_CREDENTIAL` where a key is missing.
   */
  resolve(override: string | undefined, options: { readonly signal: AbortSignal }): Promise<void>;
  /** One of those that were looked up. */
  model(name: string): LanguageModel;
}

/** Asks nobody yet. */
export function createTeamModels({ file, settings, env, catalog, ...rest }: TeamModelOptions): TeamModels {
  const { agents, models } = file;
  const own = [...models].filter(([, model]) => hasOwnEndpoint(model));
  const directory = createModelDirectory({
    ...rest,
    providers: [
      ...createModelProviders(settings, catalog),
      ...own.map(([name, model]) => toModelProvider(name, endpointOfModel(model, { settings, env }))),
    ],
  });
  let found: ReadonlyMap<string, LanguageModel> = new Map();
  return {
    async resolve(override, { signal }) {
      const uses = listModelUses({
        settingsDefault: settings.model,
        manager: override,
        agents,
        fallbacks: agents.flatMap(({ fallbackModels }) => fallbackModels),
      });
      const asked = uses.map(({ where, model }) => ({ where, model: idOf(model, models) }));
      const resolved = await directory.resolve(asked, { signal });
      found = new Map(resolved.map(({ provider, id }, index) => open(uses[index], { provider, id })));
    },
    model(name) {
      const model = found.get(name);
      if (model !== undefined) return model;
      throw new RuntimeError(
        'RUNTIME_FAILED',
        `Expected the model ${name} to be looked up before it is used.`,
      );
    },
  };

  function open(
    use: ModelUse | undefined,
    { provider, id }: { readonly provider: string; readonly id: string },
  ): readonly [string, LanguageModel] {
    const { where = '', model: name = '' } = use ?? {};
    const named = models.get(name);
    const endpoint =
      named === undefined
        ? endpointOfVendor(provider as Vendor, settings) // a provider of the settings: the file's have names
        : endpointOfModel(named, { settings, env });
    return [name, createModel({ ...endpoint, id, where, api: named?.api ?? defaultApi(named), catalog })];
  }
}

function createModel({
  vendor,
  id,
  where,
  variable,
  apiKey,
  baseUrl,
  api,
  catalog,
}: Endpoint & {
  readonly id: string;
  readonly where: string;
  readonly api: 'responses' | 'chat';
  readonly catalog: LanguageModelOptions['catalog'];
}): LanguageModel {
  if (apiKey === undefined) {
    throw new RuntimeError(
      'RUNTIME_NO_CREDENTIAL',
      `${where} uses ${vendor}/${id}: expected a key in ${variable}; it is not set.`,
    );
  }
  return createLanguageModel({
    provider: vendor,
    id,
    apiKey,
    catalog,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(vendor === 'openai' && { api: api === 'chat' ? 'openai-chat' : 'openai-responses' }),
  });
}

/** Servers of others speak Chat Completions; not all of them speak Responses. */
function defaultApi(named: FileModel | undefined): 'responses' | 'chat' {
  return named?.baseUrl === undefined ? 'responses' : 'chat';
}

function hasOwnEndpoint({ baseUrl, credential }: FileModel): boolean {
  return baseUrl !== undefined || credential !== undefined;
}

/** An id after its provider for a model of the file, which is a provider itself where it has an endpoint of its own. */
function idOf(name: string, models: AgentFile['models']): string {
  const named = models.get(name);
  if (named === undefined) return name;
  return `${hasOwnEndpoint(named) ? name : named.provider}/${named.model}`;
}
