import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from './client.ts';
import { headerOf } from './signs.ts';

const sessionHeader = 'x-claude-code-session-id';

/** Claude Code, observed in versions 2.1.302 and 2.1.332. */
export const claudeCode: Client = {
  id: 'claude-code',
  isSender: (headers) => hasSession(headers) && !isAgentSdk(headers),
  sessionIn: { header: sessionHeader },
  agentOf: (headers) => headerOf(headers, 'x-claude-code-agent-id'),
  workingDirectoryLabel: ' - Primary working directory: ',
  workingDirectoryIn: 'messages',
  coreTools: [],
  echoesSearch: true,
  onFault: {
    retriedStatuses: [401, 404, 429, 500, 502, 529],
    asksAgainAfterBrokenStream: true,
    repairsByText: true,
  },
};

/** The Claude Agent SDK, observed in version 0.3.332, runs the same engine and names itself in its User-Agent. */
export const claudeAgentSdk: Client = {
  ...claudeCode,
  id: 'claude-agent-sdk',
  isSender: (headers) => hasSession(headers) && isAgentSdk(headers),
};

function hasSession(headers: IncomingHttpHeaders): boolean {
  return headerOf(headers, sessionHeader) !== undefined;
}

function isAgentSdk(headers: IncomingHttpHeaders): boolean {
  return headers['user-agent']?.includes('agent-sdk/') ?? false;
}
