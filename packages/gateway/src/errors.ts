/** What a caller and an operator can rely on for each code of the gateway's own errors. */
export interface ErrorTraits {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly fault: 'client' | 'upstream' | 'operator' | 'gateway';
  /** Whether the same request may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every error that the gateway itself answers; what a provider answers is passed on as it is. */
export const gatewayErrors = {
  GATEWAY_BAD_REQUEST: { status: 400, fault: 'client', retryable: false },
  GATEWAY_BODY_TOO_LARGE: { status: 413, fault: 'client', retryable: false },
  GATEWAY_FOREIGN_ORIGIN: { status: 403, fault: 'client', retryable: false },
  GATEWAY_NOT_AUTHORISED: { status: 401, fault: 'client', retryable: false },
  GATEWAY_NOT_JSON: { status: 415, fault: 'client', retryable: false },
  GATEWAY_RECORD_UNREADABLE: { status: 503, fault: 'gateway', retryable: true },
  GATEWAY_STORE_FAILED: { status: 503, fault: 'operator', retryable: true },
  GATEWAY_TURN_UNFINISHED: { status: 502, fault: 'upstream', retryable: true },
  GATEWAY_UNKNOWN_ROUTE: { status: 404, fault: 'client', retryable: false },
  GATEWAY_UPGRADE_REFUSED: { status: 426, fault: 'client', retryable: false },
  GATEWAY_UPSTREAM_TIMEOUT: { status: 504, fault: 'upstream', retryable: true },
  GATEWAY_UPSTREAM_UNREACHABLE: { status: 502, fault: 'upstream', retryable: true },
} as const satisfies Record<string, ErrorTraits>;

/** A row of `gatewayErrors`. */
export type GatewayErrorCode = keyof typeof gatewayErrors;

/** An error that the gateway answers itself, in the dialect of the route. */
export class GatewayError extends Error {
  readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
  }
}

/** What a log line says of a caught error: its class, since a message may hold what no log should. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
