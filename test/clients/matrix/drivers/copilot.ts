import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeJson } from '../mcp-config.ts';
import { runClient, withoutLines, withSortedCalls } from '../run-client.ts';

/** Copilot CLI in its JSON mode, with a provider of one's own. It sends MCP tools deferred and searches them itself. */
export const copilot: ClientDriver = {
  title: 'Copilot CLI 1.0.102',
  packages: pins.copilot,
  clientId: 'copilot-cli',
  setUp: ({ home }) =>
    writeJson(join(home, '.copilot', 'mcp-config.json'), {
      mcpServers: forEachServer((command, args) => ({ type: 'local', command, args, tools: ['*'] })),
    }),
  ask: (room, { prompt, resume = sessionIn(room) }) => run(room, prompt, resume),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'A step of the story' } }),
  // Built-in tools that it sends in full.
  seldom: [
    { tool: 'list_agents', input: {} },
    { tool: 'grep', input: { pattern: 'nothing like it' } },
  ],
  ownSearch: [
    { tool: 'tool_search_tool', input: { pattern: 'find_depot_goods' } },
    { tool: 'depot-find_depot_goods', input: { field_1: 'blue' } },
  ],
  subAgent: (prompt) => ({
    tool: 'task',
    input: {
      name: 'helper',
      description: 'A part of it',
      prompt,
      agent_type: 'general-purpose',
      mode: 'sync',
    },
  }),
  compact: (room, session) => run(room, '/compact', session),
};

/** The same in both worlds, since it writes a part of its session's id into its prompts. */
function sessionIn({ workFolder }: Room): string {
  const digits = hash('sha256', basename(workFolder));
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
}

async function run(room: Room, prompt: string, session: string): Promise<Turn> {
  const outcome = await runClient(
    room,
    room.install.bin('copilot'),
    ['--allow-all', '--session-id', session, '--output-format', 'json', '-p', prompt],
    {
      env: {
        COPILOT_PROVIDER_BASE_URL: room.baseUrl,
        COPILOT_PROVIDER_TYPE: 'anthropic',
        COPILOT_PROVIDER_API_KEY: 'sk-ant-dummy',
        COPILOT_MODEL: 'claude-opus-5-5',
        COPILOT_AUTO_UPDATE: 'false',
      },
    },
  );
  // Events that it keeps in no session come as the network lets them, and each event names the one before.
  const kept = withoutLines(outcome.stdout, /"ephemeral":true/);
  const apart = kept.replaceAll(/,"parentId":"[\w-]+"/g, '');
  const stdout = withSortedCalls(apart, /^\{"type":"(tool\.execution_complete|subagent\.completed)"/);
  return { ...outcome, stdout, session };
}
