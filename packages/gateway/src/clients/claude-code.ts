import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from './client.ts';

/** Claude Code, observed in version 2.1.332 (docs/clients.md). */
export const claudeCode: Client = {
  id: 'claude-code',
  isSender: (headers) => hasSession(headers) && !isAgentSdk(headers),
  agentOf,
  workingDirectoryLabel: ' - Primary working directory: ',
  coreTools: [],
  echoesSearch: true,
};

/** The Claude Agent SDK runs the same engine and names itself in its User-Agent. */
export const claudeAgentSdk: Client = {
  ...claudeCode,
  id: 'claude-agent-sdk',
  isSender: (headers) => hasSession(headers) && isAgentSdk(headers),
};

function hasSession(headers: IncomingHttpHeaders): boolean {
  const session = headers['x-claude-code-session-id'];
  return typeof session === 'string' && session !== '';
}

function isAgentSdk(headers: IncomingHttpHeaders): boolean {
  return headers['user-agent']?.includes('agent-sdk/') ?? false;
}

function agentOf(headers: IncomingHttpHeaders): string | undefined {
  const agent = headers['x-claude-code-agent-id'];
  return typeof agent === 'string' && agent !== '' ? agent : undefined;
}
