import {
  OAuthClientFlowError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { RuntimeError } from '../../runtime-error.ts';
import type { AdmittedTool } from './admit-tools.ts';
import type { McpConnection, RequestLimits } from './connection.ts';
import { needsPerson, readToolResult } from './tool-result.ts';

/** Calls a tool with what the model gave. Throws `RUNTIME_MCP_FAILED`, and what the connection throws. */
export async function callServer(
  connection: McpConnection,
  { name, inputSchema, wrappedIn }: AdmittedTool,
  input: unknown,
  limits: RequestLimits,
): Promise<string> {
  const args = wrappedIn === undefined ? input : memberOf(input, wrappedIn);
  if (!isRecord(args)) {
    const expected = wrappedIn === undefined ? 'an object of arguments' : `an object in "${wrappedIn}"`;
    throw new RuntimeError('RUNTIME_MCP_FAILED', `Expected ${expected}; came something else.`);
  }
  const schema = wrappedIn === undefined ? inputSchema : {};
  try {
    return readToolResult(await connection.call({ name, arguments: args, inputSchema: schema }, limits));
  } catch (error) {
    if (error instanceof ProtocolError && askingCodes.includes(error.code)) throw needsPerson(error);
    throw error;
  }
}

/** By these a server says that it would have to ask a person, and that nobody told it that it may. */
const askingCodes: readonly number[] = [
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UrlElicitationRequired,
];

/** A call that came to nothing, in words without secrets. */
export function callFailed(server: string, problem: string, cause?: unknown): RuntimeError {
  return new RuntimeError('RUNTIME_MCP_FAILED', `The MCP server ${server}: ${problem}`, { cause });
}

/** Whether a failed call says that nobody is at the other end any more, and not that the call was wrong. */
export function isLost(error: unknown): boolean {
  const isAnswer = [RuntimeError, ProtocolError, OAuthClientFlowError].some((type) => error instanceof type);
  if (isAnswer) return false;
  const answered = [
    SdkErrorCode.RequestTimeout,
    SdkErrorCode.InvalidResult,
    SdkErrorCode.UnsupportedResultType,
  ];
  return !(error instanceof SdkError && answered.includes(error.code));
}

function memberOf(input: unknown, key: string): unknown {
  return isRecord(input) && Object.hasOwn(input, key) ? input[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
