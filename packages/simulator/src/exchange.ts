import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestDraft } from './bill.ts';
import { textOf } from './json.ts';
import type { Vendor } from './vendor.ts';

/** One request on its way through the simulator. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Whose API the path belongs to. */
  readonly vendor: Vendor;
}

/** What a body declares, however wrong it is otherwise. */
export interface Declared {
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** In the order sent; the members of a namespace by their full names. */
  readonly tools: readonly { readonly name: string; readonly isDeferred: boolean }[];
  /** The member that holds them, as parsed. */
  readonly toolsJson: unknown;
}

const nothingDeclared: Declared = { model: undefined, isStream: false, tools: [], toolsJson: undefined };

/** A request's record before anything is known but what it brought. */
export function draftRecord(
  { request, method, path, startedAtMs }: Exchange,
  declared: Declared = nothingDeclared,
): RequestDraft {
  const { model, isStream, tools, toolsJson } = declared;
  const { headers } = request;
  return {
    atMs: startedAtMs,
    method,
    path,
    status: 200,
    error: null,
    model: model ?? null,
    session:
      textOf(headers['x-claude-code-session-id'] ?? headers['session-id'] ?? headers['x-session-id']) ?? null,
    agent: textOf(headers['x-claude-code-agent-id'] ?? headers['thread-id']) ?? null,
    stream: isStream,
    toolsDeclared: tools.map((tool) => tool.name),
    toolsDeferred: tools.filter((tool) => tool.isDeferred).map((tool) => tool.name),
    toolsSha256: toolsJson === undefined ? null : hash('sha256', JSON.stringify(toolsJson)),
    renderedPrefixHashes: [],
    prefixTokens: 0,
    usage: null,
    cost: null,
    brokenBinding: false,
  };
}
