import type { ApiErrorType } from './api-error.ts';
import type { JsonObject } from './json.ts';

/** Why a request was not answered, before a vendor gives it its shape. */
export interface Refusal {
  readonly status: number;
  readonly type: ApiErrorType;
  readonly message: string;
  /** The finer code within the type. */
  readonly detail: string | undefined;
  /** The member of the body that is wrong, as the vendor names it. */
  readonly param: string | undefined;
}

/** What the vendors agree on. */
export const commonStatuses = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 503,
  timeout_error: 504,
} as const satisfies Vendor['statuses'];

/** What all APIs of one vendor have in common. */
export interface Vendor {
  readonly requestIdHeader: string;
  /** What it says to a body that is no JSON. */
  readonly badJson: string;
  /** The status that it sends with a type of error. */
  readonly statuses: Readonly<Record<ApiErrorType, number>>;
  errorBody(refusal: Refusal, requestId: string): JsonObject;
}
