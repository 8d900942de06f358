/** Why a request is refused, in the words of the Messages API; each vendor has a status and a spelling for them. */
export type ApiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

/** What an error says beyond its message. */
export interface ErrorDetails {
  /** The finer code: `error.details.error_code` (Anthropic), `error.code` (OpenAI), a reason (Gemini). */
  readonly detail?: string | undefined;
  /** The member of the body that is wrong (`error.param` of OpenAI). */
  readonly param?: string | undefined;
}

/** A request that the API answers with an error; the routes turn it into the vendor's envelope. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: ApiErrorType;
  readonly detail: string | undefined;
  readonly param: string | undefined;

  constructor(code: ApiErrorType, message: string, { detail, param }: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.param = param;
  }
}

/** An `invalid_request_error` with a finer code, if the API gives one. */
export function refuse(message: string, detail?: string): ApiError {
  return new ApiError('invalid_request_error', message, { detail });
}
