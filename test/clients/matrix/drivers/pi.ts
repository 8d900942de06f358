import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer, writeJson } from '../mcp-config.ts';
import { runClient, withoutLines, withSortedCalls } from '../run-client.ts';

const env = { ANTHROPIC_API_KEY: 'sk-ant-dummy', PI_OFFLINE: '1' };
const model = ['--provider', 'anthropic', '--model', 'claude-opus-5-5'];

/** pi in its JSON mode; its MCP servers stand in the list of tools directly, not behind its own search. */
export const pi: ClientDriver = {
  title: 'pi 1.6.0',
  packages: pins.pi,
  clientId: 'pi',
  async setUp({ home, baseUrl }) {
    const settings = join(home, '.pi', 'agent');
    await writeJson(join(settings, 'models.json'), { providers: { anthropic: { baseUrl } } });
    // The stories are short: by default it would find nothing to compact.
    await writeJson(join(settings, 'settings.json'), { compaction: { keepRecentTokens: 50 } });
    await writeJson(join(settings, 'mcp.json'), {
      mcpServers: forEachServer((command, args) => ({ command, args, exposure: 'direct' }), 700),
    });
  },
  ask: (room, { prompt, resume = randomUUID() }) => run(room, ['--mode', 'json', prompt], resume),
  shell: (command) => ({ tool: 'bash', input: { command } }),
  seldom: [
    { tool: 'mcp__depot__find_depot_goods', input: { field_1: 'blue' } },
    { tool: 'mcp__harbour__count_harbour_goods', input: { field_2: 'red' } },
  ],
  subAgent: { why: 'it has none' },
  compact: (room, session) => run(room, ['--mode', 'rpc'], session, '{"type":"compact"}\n'),
};

async function run(room: Room, args: readonly string[], session: string, input?: string): Promise<Turn> {
  const outcome = await runClient(
    room,
    room.install.bin('pi'),
    [...model, '--session-id', session, ...args],
    {
      env,
      ...(input !== undefined && { input }),
    },
  );
  // Updates come as the network cuts them.
  const steady = withoutLines(outcome.stdout, /^\{"type":"(?:message|tool_execution)_update"/);
  const stdout = withSortedCalls(steady, /^\{"type":"tool_execution_\w+".*?"toolName":"(\w+)"/);
  return { ...outcome, stdout, session };
}
