import type { Client } from './client.ts';
import { headerOf } from './signs.ts';

/** Codex, observed in version 0.171.0; it speaks OpenAI's Responses only. A sub-agent has the session of its parent. */
export const codex: Client = {
  id: 'codex',
  isSender: (headers) =>
    headerOf(headers, 'session-id') !== undefined &&
    headerOf(headers, 'thread-id') !== undefined &&
    (headerOf(headers, 'originator')?.startsWith('codex') ?? false),
  sessionIn: { header: 'session-id' },
  agentOf: (headers) => {
    const thread = headerOf(headers, 'thread-id');
    return thread === headerOf(headers, 'session-id') ? undefined : thread;
  },
  workingDirectoryLabel: undefined,
  workingDirectoryIn: 'system',
  coreTools: ['apply_patch', 'exec_command', 'write_stdin'],
  echoesSearch: true,
  onFault: {
    // After a 429 only where `retry-after` comes with it.
    retriedStatuses: [401, 404, 429, 500, 502, 529],
    asksAgainAfterBrokenStream: true,
    repairsByText: false,
  },
};
