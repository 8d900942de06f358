import { createSecret } from '@quartermaster/agent/settings';
import type { Settings } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import type { AgentFile } from '@quartermaster/runtime/agent-file';
import { createSimulator } from '@quartermaster/simulator';
import { startServer } from '../../server.ts';
import { loadTokenCounter } from '../../token-counter.ts';
import type { TeamContext } from './team-context.ts';

/** Of agents that name none. */
const simulatedModel = 'claude-opus-5-5';

/** Agents and the settings that they are run with. */
interface Given {
  readonly file: AgentFile;
  readonly settings: Settings;
}

/** The same with every model on a simulated provider: no key is used, and nothing leaves this machine. */
export async function simulateProviders(
  { file, settings }: Given,
  { surroundings, resources }: TeamContext,
): Promise<Given> {
  const countTokens = await loadTokenCounter();
  const simulator = createSimulator({ catalog, clock: surroundings.clock, countTokens, binding: true });
  const server = await startServer(simulator, { host: '127.0.0.1', port: 0 });
  resources.defer(async () => void (await server.drain(0)));
  const key = createSecret('simulated');
  const models = [...file.models].map(
    ([name, { provider, model, api, parameters }]) =>
      [name, { provider, model, parameters, ...(api !== undefined && { api }) }] as const,
  );
  return {
    file: { ...file, models: new Map(models) },
    settings: {
      model: settings.model ?? simulatedModel,
      defaultUser: settings.defaultUser,
      anthropicApiKey: key,
      anthropicBaseUrl: new URL(server.url),
      openaiApiKey: key,
      openaiBaseUrl: new URL('/v1', server.url),
      googleApiKey: key,
      googleBaseUrl: new URL(server.url),
    },
  };
}
