import { join } from 'node:path';
import type { ScriptCall } from '../../upstream.ts';
import { createClaudeCode } from '../../claude-code.ts';
import type { ClaudeCode } from '../../claude-code.ts';
import type { ClientDriver, Room } from '../driver.ts';
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

export function claudeCodeDriver(options: {
  readonly title: string;
  readonly packages: readonly string[];
  /** `undefined` leaves the setting alone. */
  readonly ownToolSearch: boolean | undefined;
  readonly sendsAllTools: boolean;
}): ClientDriver {
  const { ownToolSearch } = options;
  const client = ({ install, home, workFolder, baseUrl }: Room): ClaudeCode =>
    createClaudeCode({
      install,
      home,
      workFolder,
      baseUrl,
      ...(ownToolSearch !== undefined && { ownToolSearch }),
    });
  const allowedTools = [
    'Bash',
    'Agent',
    ...seldomBuiltIns.map(({ tool }) => tool),
    ...fixtureServers.map((server) => `mcp__${server}`),
  ];
  const mcpConfigOf = ({ home }: Room): string => join(home, 'mcp.json');
  const run = async (room: Room, prompt: string, resume?: string) => {
    const mcpConfig = mcpConfigOf(room);
    const { json, ...outcome } = await client(room).run(prompt, {
      allowedTools,
      mcpConfig,
      streamsMessages: true,
      ...(resume !== undefined && { resume }),
    });
    return {
      ...outcome,
      // A running count of thought, as often as the network lets it come.
      stdout: withoutLines(outcome.stdout, /^\{"type":"system","subtype":"thinking_tokens"/),
      session: json?.session_id,
    };
  };

  return {
    title: options.title,
    packages: options.packages,
    echoesSearch: true,
    setUp: (room) =>
      writeJson(mcpConfigOf(room), { mcpServers: forEachServer((command, args) => ({ command, args })) }),
    ask: (room, { prompt, resume }) => run(room, prompt, resume),
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'A step of the story' } }),
    seldom: options.sendsAllTools ? seldomMcpTools : seldomBuiltIns,
    resume: 'yes',
    subAgent: (prompt) => ({
      tool: 'Agent',
      input: {
        description: 'A part of it',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    }),
    compact: (room, session) => run(room, '/compact', session),
  };
}
