// An MCP server over standard input and output with the fixture tools of the server that its first argument names. The
// second is the time in ms that it takes to start.
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { answerOf, fixtureTools } from './fixture-tools.ts';

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: unknown;
  };
}

const server = process.argv[2] ?? 'depot';
const startMs = Number(process.argv[3] ?? 0);

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as RpcRequest;
  // A notification has no id, and no answer.
  if (request.id === undefined) continue;
  if (request.method === 'initialize') await pause(startMs);
  const answer = resultOf(request);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
}

function resultOf({ method, params = {} }: RpcRequest): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params.protocolVersion ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: server, version: '1.0.0' },
        },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: fixtureTools(server) } };
    case 'tools/call':
      return {
        result: { content: [{ type: 'text', text: answerOf(params.name ?? '', params.arguments ?? {}) }] },
      };
    default:
      return { error: { code: -32_601, message: `no method ${method}` } };
  }
}
