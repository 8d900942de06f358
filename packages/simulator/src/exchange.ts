import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestDraft } from './bill.ts';
import { isObject, objectsIn, textOf } from './json.ts';

/** One request on its way through the simulator. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly requestId: string;
  readonly startedAtMs: number;
}

/** A request's record before anything is known but what it brought. */
export function draftRecord(exchange: Exchange, json: unknown): RequestDraft {
  const body = isObject(json) ? json : {};
  const tools = objectsIn(body['tools']);
  const names = (list: typeof tools): string[] => list.map((tool) => textOf(tool['name']) ?? '');
  return {
    atMs: exchange.startedAtMs,
    method: exchange.method,
    path: exchange.path,
    status: 200,
    error: null,
    model: textOf(body['model']) ?? null,
    session:
      textOf(
        exchange.request.headers['x-claude-code-session-id'] ?? exchange.request.headers['x-session-id'],
      ) ?? null,
    agent: textOf(exchange.request.headers['x-claude-code-agent-id']) ?? null,
    stream: body['stream'] === true,
    toolsDeclared: names(tools),
    toolsDeferred: names(tools.filter((tool) => tool['defer_loading'] === true)),
    toolsSha256: body['tools'] === undefined ? null : hash('sha256', JSON.stringify(body['tools'])),
    renderedPrefixHashes: [],
    prefixTokens: 0,
    usage: null,
    cost: null,
    brokenBinding: false,
  };
}
