import { join } from 'node:path';
import type { ScriptCall } from '../../upstream.ts';
import { createClaudeCode } from '../../claude-code.ts';
import type { ClientDriver, Room, Turn } from '../driver.ts';
import { fixtureServers } from '../fixture-tools.ts';
import { forEachServer, writeJson } from '../mcp-config.ts';
import { withoutLines } from '../run-client.ts';

/** With its own search on, MCP tools are not on the wire: two built-in tools that run at once take their place. */
const seldomBuiltIns = [
  { tool: 'ReportFindings', input: { findings: [] } },
  { tool: 'ListAgents', input: {} },
] as const;

const seldomMcpTools: readonly [ScriptCall, ScriptCall] = [
  { tool: 'mcp__depot__find_depot_goods', input: { field_1: 'blue' } },
  { tool: 'mcp__harbour__count_harbour_goods', input: { field_2: 'red' } },
];

const ownSearch: readonly ScriptCall[] = [
  { tool: 'ToolSearch', input: { query: 'select:mcp__depot__find_depot_goods', max_results: 1 } },
  seldomMcpTools[0],
];

/** What the stories have Claude Code run without asking. */
export const allowedTools: readonly string[] = [
  'Bash',
  'Agent',
  ...seldomBuiltIns.map(({ tool }) => tool),
  ...fixtureServers.map((server) => `mcp__${server}`),
];

/** Claude Code in print mode, its messages streamed. */
export function claudeCodeDriver(options: {
  readonly title: string;
  readonly packages: readonly string[];
  /** `undefined` leaves the setting alone. */
  readonly ownToolSearch: boolean | undefined;
  readonly sendsAllTools: boolean;
}): ClientDriver {
  const { ownToolSearch } = options;
  const run = async (room: Room, prompt: string, resume?: string): Promise<Turn> => {
    const client = createClaudeCode({ ...room, ...(ownToolSearch !== undefined && { ownToolSearch }) });
    const { json, ...outcome } = await client.run(prompt, {
      allowedTools,
      mcpConfig: mcpConfigOf(room),
      streamsMessages: true,
      ...(resume !== undefined && { resume }),
    });
    return { ...outcome, stdout: withoutThinkingCounts(outcome.stdout), session: json?.session_id };
  };
  return {
    ...claudeTools(options),
    title: options.title,
    packages: options.packages,
    clientId: 'claude-code',
    setUp: (room) =>
      writeJson(mcpConfigOf(room), { mcpServers: forEachServer((command, args) => ({ command, args })) }),
    ask: (room, { prompt, resume }) => run(room, prompt, resume),
    compact: (room, session) => run(room, '/compact', session),
  };
}

/** What Claude Code and the Claude Agent SDK have in common: the same program runs in both. */
export function claudeTools({
  sendsAllTools,
}: {
  readonly sendsAllTools: boolean;
}): Pick<ClientDriver, 'shell' | 'seldom' | 'ownSearch' | 'subAgent'> {
  return {
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'A step of the story' } }),
    seldom: sendsAllTools ? seldomMcpTools : seldomBuiltIns,
    ...(!sendsAllTools && { ownSearch }),
    subAgent: (prompt) => ({
      tool: 'Agent',
      input: {
        description: 'A part of it',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    }),
  };
}

/** Without the running count of thought, which comes as often as the network lets it. */
export function withoutThinkingCounts(stdout: string): string {
  return withoutLines(stdout, /^\{"type":"system","subtype":"thinking_tokens"/);
}

function mcpConfigOf({ home }: Room): string {
  return join(home, 'mcp.json');
}
