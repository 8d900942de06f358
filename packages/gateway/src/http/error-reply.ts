import type { ServerResponse } from 'node:http';
import { type GatewayError, gatewayErrors } from '../errors.ts';
import type { Dialect } from '../routes.ts';

/** Answers with the gateway's own error in the caller's dialect. Where an answer has begun, only a cut is honest. */
export function replyWithError(
  response: ServerResponse,
  error: GatewayError,
  context: {
    readonly dialect: Dialect;
    readonly requestId: string;
    readonly headers?: Record<string, string>;
  },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status } = gatewayErrors[error.code];
  const body = JSON.stringify(envelopeOf(error, context));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    [context.dialect === 'openai' ? 'x-request-id' : 'request-id']: context.requestId,
    ...context.headers,
  });
  response.end(body);
}

/** An error of the gateway's own in the shape that the dialect's clients know. */
export function envelopeOf(
  error: GatewayError,
  { dialect, requestId }: { readonly dialect: Dialect; readonly requestId: string },
): object {
  const { status } = gatewayErrors[error.code];
  const message = `quartermaster gateway: ${error.message} (${error.code}, request ${requestId})`;
  switch (dialect) {
    case 'anthropic':
      return { type: 'error', error: { type: anthropicType(status), message }, request_id: requestId };
    case 'openai':
      return { error: { message, type: openAiType(status), param: null, code: error.code } };
    case 'gemini':
      return { error: { code: status, message, status: googleStatus(status) } };
  }
}

function anthropicType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 504:
      return 'timeout_error';
    default:
      return status < 500 ? 'invalid_request_error' : 'api_error';
  }
}

function openAiType(status: number): string {
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

function googleStatus(status: number): string {
  switch (status) {
    case 401:
      return 'UNAUTHENTICATED';
    case 404:
      return 'NOT_FOUND';
    case 504:
      return 'DEADLINE_EXCEEDED';
    default:
      return status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE';
  }
}
