import { join } from 'node:path';
import process from 'node:process';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeJson } from '../mcp-config.ts';
import { runClient, withSortedCalls } from '../run-client.ts';

const model = 'claude-opus-5-5';

const env = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
};

/** opencode in its JSON mode. It names the tools of MCP servers `<server>_<tool>`, so that each is a unit of its own. */
export const opencode: ClientDriver = {
  title: 'opencode 1.18.33',
  packages: pins.opencode,
  clientId: 'opencode',
  setUp: ({ home, baseUrl }) =>
    writeJson(join(home, '.config', 'opencode', 'opencode.json'), {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: `anthropic/${model}`,
      provider: {
        anthropic: {
          options: { baseURL: `${baseUrl}/v1`, apiKey: 'sk-ant-dummy' },
          models: { [model]: { name: 'Claude Opus 5.5', reasoning: true, tool_call: true } },
        },
      },
      mcp: forEachServer((command, args) => ({ type: 'local', command: [command, ...args] })),
      permission: 'allow',
    }),
  ask: (room, { prompt, resume }) =>
    run(room, resume === undefined ? [prompt] : ['--session', resume, prompt]),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'A step of the story' } }),
  seldom: [
    { tool: 'depot_find_depot_goods', input: { field_1: 'blue' } },
    { tool: 'harbour_count_harbour_goods', input: { field_2: 'red' } },
  ],
  subAgent: (prompt) => ({
    tool: 'task',
    input: { description: 'A part of it', prompt, subagent_type: 'general' },
  }),
  compact,
};

async function run(room: Room, args: readonly string[]): Promise<Turn> {
  const outcome = await runClient(room, room.install.bin('opencode'), ['run', '--format', 'json', ...args], {
    env,
  });
  return {
    ...outcome,
    stdout: withSortedCalls(startedOnce(outcome.stdout), /^\{"type":"tool_use".*?"tool":"(\w+)"/),
    session: /"sessionID":"(\w+)"/.exec(outcome.stdout)?.[1],
  };
}

/** Of a stream that breaks at once it tells the start or not, as it happens, with the provider alone too. */
function startedOnce(stdout: string): string {
  const lines = stdout.split('\n');
  const isStart = (line: string | undefined): boolean => line?.startsWith('{"type":"step_start"') ?? false;
  return lines.filter((line, index) => !(isStart(line) && isStart(lines[index + 1]))).join('\n');
}

async function compact(room: Room, session: string): Promise<Turn> {
  const program = join(import.meta.dirname, '..', 'programs', 'opencode-compact.ts');
  const outcome = await runClient(
    room,
    process.execPath,
    [program, room.install.bin('opencode'), session, model],
    { env },
  );
  return { ...outcome, session };
}
