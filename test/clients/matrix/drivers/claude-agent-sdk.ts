import { join } from 'node:path';
import process from 'node:process';
import { claudeEnvironment } from '../../claude-code.ts';
import { pins } from '../../pins.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { forEachServer } from '../mcp-config.ts';
import type { AgentTask } from '../programs/claude-agent-sdk.ts';
import { runClient } from '../run-client.ts';
import { allowedTools, claudeTools, withoutThinkingCounts } from './claude-code.ts';

const program = join(import.meta.dirname, '..', 'programs', 'claude-agent-sdk.ts');

/** A program with the Claude Agent SDK, whose tool search is on by default. */
export const claudeAgentSdk: ClientDriver = {
  ...claudeTools({ sendsAllTools: false }),
  title: 'Claude Agent SDK 0.3.332',
  packages: pins.claudeAgentSdk,
  clientId: 'claude-agent-sdk',
  setUp: async () => {},
  ask: (room, { prompt, resume }) => run(room, prompt, resume),
  compact: (room, session) => run(room, '/compact', session),
};

async function run(room: Room, prompt: string, resume: string | undefined): Promise<Turn> {
  const task: AgentTask = {
    sdkFolder: room.install.folder,
    prompt,
    options: {
      model: 'claude-opus-5-5',
      cwd: room.workFolder,
      mcpServers: forEachServer((command, args) => ({ type: 'stdio', command, args })),
      env: claudeEnvironment(room),
      allowedTools,
      ...(resume !== undefined && { resume }),
    },
  };
  const outcome = await runClient(room, process.execPath, [program, JSON.stringify(task)]);
  return {
    ...outcome,
    stdout: withoutThinkingCounts(outcome.stdout),
    session: /"session_id":"([\w-]+)"/.exec(outcome.stdout)?.[1],
  };
}
