import { join } from 'node:path';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeSetting } from '../mcp-config.ts';
import { runClient } from '../run-client.ts';

/** Continue's command line, printing. It goes on with a folder's last session only. */
export const continueCli: ClientDriver = {
  title: 'Continue 1.5.47',
  packages: pins.continueCli,
  clientId: 'continue',
  setUp: (room) => writeSetting(settingsOf(room), settings(room.baseUrl)),
  ask: (room, { prompt, resume }) => run(room, [...(resume === undefined ? [] : ['--resume']), '-p', prompt]),
  shell: (command) => ({ tool: 'Bash', input: { command } }),
  seldom: [
    { tool: 'find_depot_goods', input: { field_1: 'blue' } },
    { tool: 'count_harbour_goods', input: { field_2: 'red' } },
  ],
  subAgent: { why: 'it has none but in a beta' },
  compact: { why: 'it compacts in its terminal only' },
};

function settingsOf({ home }: Room): string {
  return join(home, 'continue.yaml');
}

function settings(baseUrl: string): string {
  const servers = Object.entries(forEachServer((command, args) => ({ command, args })));
  return JSON.stringify({
    name: 'story',
    version: '1.0.0',
    schema: 'v1',
    models: [
      {
        name: 'simulated',
        provider: 'anthropic',
        model: 'claude-opus-4-5',
        apiBase: `${baseUrl}/v1`,
        apiKey: 'sk-ant-dummy',
        roles: ['chat'],
      },
    ],
    mcpServers: servers.map(([name, server]) => ({ name, ...server })),
  });
}

async function run(room: Room, args: readonly string[]): Promise<Turn> {
  const outcome = await runClient(
    room,
    room.install.bin('cn'),
    ['--config', settingsOf(room), '--auto', ...args],
    { env: { CONTINUE_TELEMETRY_ENABLED: '0' } },
  );
  return { ...outcome, session: 'the last' };
}
