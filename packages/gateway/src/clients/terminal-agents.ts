import type { Client, FaultHabits } from './client.ts';
import { hasStainlessHeaders, headerOf, isNamed } from './signs.ts';

/** What most agents do: try again where that may help, and tell the user about all else. */
const retries: FaultHabits = {
  retriedStatuses: [429, 500, 529],
  asksAgainAfterBrokenStream: true,
  repairsByText: false,
};

/** What terminal agents have in common: none was seen to send back a search that it did not ask for. */
const terminalAgent = {
  sessionIn: undefined,
  workingDirectoryIn: 'system',
  agentOf: () => undefined,
  echoesSearch: false,
  onFault: retries,
} as const;

/** opencode, observed in version 1.18.33. A sub-agent has a session of its own. */
export const opencode: Client = {
  ...terminalAgent,
  id: 'opencode',
  isSender: (headers) =>
    headerOf(headers, 'x-session-affinity') !== undefined &&
    headerOf(headers, 'x-session-id') === headerOf(headers, 'x-session-affinity') &&
    isNamed(headers, 'opencode/'),
  sessionIn: { header: 'x-session-id' },
  workingDirectoryLabel: '  Working directory: ',
  coreTools: ['bash', 'edit', 'question', 'read', 'skill', 'task', 'write'],
};

/** qwen-code, observed in version 0.24.4. It calls itself `claude-cli` and has no session header of that. */
export const qwenCode: Client = {
  ...terminalAgent,
  id: 'qwen-code',
  isSender: (headers) =>
    isNamed(headers, 'claude-cli/0.') &&
    headers['x-app'] === 'cli' &&
    hasStainlessHeaders(headers) &&
    headerOf(headers, 'x-claude-code-session-id') === undefined,
  // It stands in a user's message, where a prompt could state another.
  workingDirectoryLabel: undefined,
  coreTools: [
    'agent',
    'edit',
    'read_file',
    'run_shell_command',
    'skill',
    'tool_call',
    'tool_search',
    'write_file',
  ],
};

/** Copilot CLI with a provider of the user's own, observed in version 1.0.102. */
export const copilotCli: Client = {
  ...terminalAgent,
  id: 'copilot-cli',
  isSender: (headers) =>
    ['user', 'agent'].includes(headerOf(headers, 'x-initiator') ?? '') &&
    (headerOf(headers, 'x-interaction-type') !== undefined || hasStainlessHeaders(headers)),
  workingDirectoryLabel: '* Current working directory: ',
  coreTools: [
    'ask_user',
    'bash',
    'create',
    'edit',
    'read_bash',
    'skill',
    'stop_bash',
    'task',
    'tool_search_tool',
    'view',
    'write_bash',
  ],
};

/** pi, observed in version 1.6.0. */
export const pi: Client = {
  ...terminalAgent,
  id: 'pi',
  isSender: (headers) => isNamed(headers, 'pi/') && hasStainlessHeaders(headers),
  workingDirectoryLabel: '<cwd>\n',
  coreTools: ['bash', 'codemode', 'edit', 'read', 'tool_search', 'write'],
};

/** kimi, observed in version 2.1.0. Its core tools have the names that are protected anyway. */
export const kimi: Client = {
  ...terminalAgent,
  id: 'kimi',
  isSender: (headers) => isNamed(headers, 'kimi-code-cli/') && hasStainlessHeaders(headers),
  sessionIn: { body: 'metadata.user_id' },
  workingDirectoryLabel: 'The current working directory is `',
  workingDirectoryEnd: '`',
  coreTools: [],
};

/** Continue's command line, observed in version 1.5.47. */
export const continueCli: Client = {
  ...terminalAgent,
  id: 'continue',
  isSender: (headers) =>
    headers['user-agent'] === 'node-fetch' &&
    headers['anthropic-beta'] === 'prompt-caching-2024-07-31' &&
    !hasStainlessHeaders(headers),
  workingDirectoryLabel: 'Working directory: ',
  coreTools: ['AskQuestion', 'MultiEdit', 'Skills'],
  onFault: { ...retries, retriedStatuses: [529] },
};
