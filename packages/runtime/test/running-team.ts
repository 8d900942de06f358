import { catalog } from '@quartermaster/catalog';
import { createTurnScope } from '@quartermaster/agent/turns';
import type { RunningBackend } from '@quartermaster/agent/turns';
import { readHost } from '@quartermaster/agent/services';
import { createSecret } from '@quartermaster/agent/settings';
import { createTeam, readAgentFile } from '@quartermaster/runtime/agent-file';
import type { Team } from '@quartermaster/runtime/agent-file';
import { readOwnerHost } from '@quartermaster/runtime';
import { appName, collect, keyOf, modelId, userName } from './harness.ts';
import type { Loose, Played, Stage } from './harness.ts';

/** Agents of a file at work in one session. */
export interface RunningTeam extends AsyncDisposable {
  readonly team: Team;
  readonly warnings: readonly string[];
  play(text: string): Promise<Played>;
}

/** The agents of a file, with the simulator as their provider. */
export async function startTeam(
  stage: Stage,
  text: string,
  env: Record<string, string> = {},
): Promise<RunningTeam> {
  const warnings: string[] = [];
  const team = await createTeam({
    file: readAgentFile({ file: 'agent.yaml', text }, env),
    folder: stage.folder,
    settings: {
      defaultUser: userName,
      model: modelId,
      anthropicApiKey: createSecret('test-key'),
      anthropicBaseUrl: new URL(stage.url),
    },
    env,
    catalog,
    store: stage.store,
    paths: {
      platform: 'posix',
      isCaseSensitive: true,
      workspace: stage.folder,
      home: '/home/ann',
      readLink: () => undefined,
    },
    rules: [],
    isProjectTrusted: () => true,
    host: readHost(),
    ownerHost: readOwnerHost(),
    clock: Date,
    ids: () => crypto.randomUUID(),
    origin: 'test',
    warn: (message) => warnings.push(message),
  });
  const { signal } = new AbortController();
  const running: RunningBackend = await team.backend.start({
    app: appName,
    defaultUser: userName,
    scope: createTurnScope(),
    signal,
  });
  const play = (said: string): Promise<Played> =>
    collect(
      running.runTurn({
        turn: crypto.randomUUID(),
        session: keyOf(),
        text: said,
        signal,
        takeSteering: () => [],
      }),
    );
  return {
    team,
    warnings,
    play,
    async [Symbol.asyncDispose]() {
      await running.close();
      await team.close();
    },
  };
}

/** The names of the tools that a request told the model of, but for those that stand for others to come. */
export function declaredIn(body: Loose): readonly string[] {
  const names = (body.tools ?? []).map((tool: Loose) => tool.name);
  return names.filter((name: string) => !name.startsWith('quartermaster_'));
}
