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

/** What all APIs of one vendor have in common. */
export interface Vendor {
  readonly requestIdHeader: string;
  /** What it says to a body that is no JSON. */
  readonly badJson: string;
  /** The status that it sends with a type of error. */
  readonly statuses: Readonly<Record<ApiErrorType, number>>;
  errorBody(refusal: Refusal, requestId: string): JsonObject;
}
