/** What a caller and an operator can rely on for each code of the gateway's own errors. */
export interface ErrorTraits {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly fault: 'client' | 'upstream' | 'operator' | 'gateway';
  readonly isRetryable: boolean;
}

/** Every error that the gateway itself answers; what a provider answers is passed on as it is. */
export const gatewayErrors = {
  GATEWAY_BAD_SIGNAL: { status: 400, fault: 'client', isRetryable: false },
  GATEWAY_BODY_TOO_LARGE: { status: 413, fault: 'client', isRetryable: false },
  GATEWAY_FOREIGN_ORIGIN: { status: 403, fault: 'client', isRetryable: false },
  GATEWAY_NOT_AUTHORISED: { status: 401, fault: 'client', isRetryable: false },
  GATEWAY_NOT_JSON: { status: 415, fault: 'client', isRetryable: false },
  GATEWAY_RECORD_UNREADABLE: { status: 503, fault: 'gateway', isRetryable: true },
  GATEWAY_UNKNOWN_ROUTE: { status: 404, fault: 'client', isRetryable: false },
  GATEWAY_UPGRADE_REFUSED: { status: 426, fault: 'client', isRetryable: false },
  GATEWAY_UPSTREAM_TIMEOUT: { status: 504, fault: 'upstream', isRetryable: true },
  GATEWAY_UPSTREAM_UNREACHABLE: { status: 502, fault: 'upstream', isRetryable: true },
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
