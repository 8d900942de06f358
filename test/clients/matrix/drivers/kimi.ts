import { join } from 'node:path';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeJson, writeSetting } from '../mcp-config.ts';
import { runClient } from '../run-client.ts';

/** kimi in its JSON mode. */
export const kimi: ClientDriver = {
  title: 'kimi 2.1.0',
  packages: pins.kimi,
  clientId: 'kimi',
  async setUp({ home, baseUrl }) {
    const folder = join(home, '.kimi-code');
    await writeSetting(join(folder, 'config.toml'), settings(baseUrl));
    await writeJson(join(folder, 'mcp.json'), {
      mcpServers: forEachServer((command, args) => ({ command, args })),
    });
  },
  ask: (room, { prompt, resume }) => run(room, prompt, resume),
  shell: (command) => ({ tool: 'Bash', input: { command } }),
  seldom: [
    { tool: 'mcp__depot__find_depot_goods', input: { field_1: 'blue' } },
    { tool: 'mcp__harbour__count_harbour_goods', input: { field_2: 'red' } },
  ],
  subAgent: (prompt) => ({ tool: 'Agent', input: { description: 'A part of it', prompt } }),
  compact: {
    why: 'it compacts in its terminal only: when it prints, the command is a prompt like any other',
  },
};

function settings(baseUrl: string): string {
  return `default_model = "simulated"
telemetry = false
[providers.simulated]
type = "anthropic"
base_url = "${baseUrl}"
api_key = "sk-ant-dummy"
[models.simulated]
provider = "simulated"
model = "claude-opus-5-5"
max_context_size = 128000
`;
}

async function run(room: Room, prompt: string, resume: string | undefined): Promise<Turn> {
  const outcome = await runClient(room, room.install.bin('kimi'), [
    ...(resume === undefined ? [] : ['--session', resume]),
    '--output-format',
    'stream-json',
    '-p',
    prompt,
  ]);
  return { ...outcome, session: /session_[0-9a-f-]{36}/.exec(outcome.stdout + outcome.stderr)?.[0] };
}
