import type { IncomingHttpHeaders } from 'node:http';
import { claudeAgentSdk, claudeCode } from './claude-code.ts';
import type { Client } from './client.ts';
import { codex } from './codex.ts';
import { aiSdk, anthropicSdk } from './sdks.ts';
import { continueCli, copilotCli, kimi, opencode, pi, qwenCode } from './terminal-agents.ts';

export type { Client };

/** Any program that the table does not know: the safe side of every question. */
export const unknownClient: Client = {
  id: 'unknown',
  isSender: () => true,
  sessionIn: undefined,
  agentOf: () => undefined,
  workingDirectoryLabel: undefined,
  workingDirectoryIn: 'system',
  coreTools: [],
  echoesSearch: false,
  onFault: { retriedStatuses: [], asksAgainAfterBrokenStream: false, repairsByText: true },
};

/** The client table. No two recognise the same headers but where one is built on the other: then it is asked first. */
export const knownClients: readonly Client[] = [
  claudeAgentSdk,
  claudeCode,
  codex,
  opencode,
  qwenCode,
  copilotCli,
  pi,
  kimi,
  continueCli,
  anthropicSdk,
  aiSdk,
];

/** The client that sent a request with these headers. */
export function recogniseClient(headers: IncomingHttpHeaders): Client {
  return knownClients.find((client) => client.isSender(headers)) ?? unknownClient;
}
