import type { JsonObject } from './json.ts';

/** The API's own error types (`error.type` in the envelope). */
export type ApiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

const statuses: Readonly<Record<ApiErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** A request that the API answers with an error; the routes turn it into the API's envelope. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: ApiErrorType;
  /** `error.details.error_code`, where the API gives one. */
  readonly detail: string | undefined;

  constructor(code: ApiErrorType, message: string, detail?: string) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  get status(): number {
    return statuses[this.code];
  }
}

/** A 400 `invalid_request_error`; `detail` becomes `error.details.error_code`. */
export function refuse(message: string, detail?: string): ApiError {
  return new ApiError('invalid_request_error', message, detail);
}

/** The error type that the API uses with a status; `api_error` for those it does not name. */
export function errorTypeOf(status: number): ApiErrorType {
  const types = Object.keys(statuses) as ApiErrorType[];
  return types.find((type) => statuses[type] === status) ?? 'api_error';
}

/** The error envelope of §1.16.1. */
export function errorEnvelope(
  error: { readonly type: string; readonly message: string; readonly detail?: string | undefined },
  requestId: string,
): JsonObject {
  const { type, message, detail } = error;
  const details = detail === undefined ? {} : { details: { error_code: detail } };
  return { type: 'error', error: { type, message, ...details }, request_id: requestId };
}
