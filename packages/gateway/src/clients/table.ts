import type { IncomingHttpHeaders } from 'node:http';
import { claudeAgentSdk, claudeCode } from './claude-code.ts';
import type { Client } from './client.ts';

export type { Client };

/** Any program that the table does not know: the safe side of every question. */
const unknownClient: Client = {
  id: 'unknown',
  isSender: () => true,
  agentOf: () => undefined,
  workingDirectoryLabel: undefined,
  coreTools: [],
  echoesSearch: false,
};

const clients: readonly Client[] = [claudeAgentSdk, claudeCode];

/** The client that sent a request with these headers. */
export function recogniseClient(headers: IncomingHttpHeaders): Client {
  return clients.find((client) => client.isSender(headers)) ?? unknownClient;
}
