import { join } from 'node:path';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeJson } from '../mcp-config.ts';
import { runClient } from '../run-client.ts';

/**
 * qwen-code in its JSON mode, on a model that binds no thinking: it changes its first messages when it resumes, which a
 * model that does refuses. It leaves MCP tools out and bridges to them by tools of its own.
 */
export const qwenCode: ClientDriver = {
  title: 'qwen-code 0.24.4',
  packages: pins.qwenCode,
  clientId: 'qwen-code',
  setUp: ({ home }) =>
    writeJson(join(home, '.qwen', 'settings.json'), {
      security: { auth: { selectedType: 'anthropic' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      telemetry: { enabled: false },
      mcpServers: forEachServer((command, args) => ({ command, args }), 700),
    }),
  ask: (room, { prompt, resume }) =>
    run(room, ['-p', prompt, ...(resume === undefined ? [] : ['--resume', resume])]),
  shell: (command) => ({
    tool: 'run_shell_command',
    input: { command, description: 'A step of the story', is_background: false },
  }),
  // Built-in tools: those of MCP servers are not on the wire.
  seldom: [
    { tool: 'list_agents', input: {} },
    { tool: 'grep_search', input: { pattern: 'nothing like it' } },
  ],
  ownSearch: [
    { tool: 'tool_search', input: { query: 'select:mcp__depot__find_depot_goods' } },
    {
      tool: 'tool_call',
      input: { name: 'mcp__depot__find_depot_goods', arguments: { field_1: 'blue' } },
    },
  ],
  subAgent: (prompt) => ({
    tool: 'agent',
    input: { description: 'A part of it', prompt, subagent_type: 'general-purpose' },
  }),
  compact: (room, session) => run(room, ['-p', '/compress', '--resume', session]),
};

async function run(room: Room, args: readonly string[]): Promise<Turn> {
  const outcome = await runClient(
    room,
    room.install.bin('qwen'),
    ['--auth-type', 'anthropic', '--yolo', '--output-format', 'stream-json', ...args],
    {
      env: {
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        ANTHROPIC_BASE_URL: room.baseUrl,
        ANTHROPIC_MODEL: 'claude-opus-4-5',
        QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      },
    },
  );
  return { ...outcome, session: /"session_id":"([\w-]+)"/.exec(outcome.stdout)?.[1] };
}
