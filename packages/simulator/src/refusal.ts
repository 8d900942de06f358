import { ApiError } from './api-error.ts';
import type { ApiErrorType } from './api-error.ts';
import type { Refusal, Vendor } from './vendor.ts';

/** The refusal behind an error. Anything but an {@link ApiError} is a fault of the simulator itself, and says so. */
export function refusalOf(error: unknown, vendor: Vendor): Refusal {
  if (error instanceof ApiError) {
    const { code: type, message, detail, param } = error;
    return { status: vendor.statuses[type], type, message, detail, param };
  }
  const message = `simulator failed: ${error instanceof Error ? error.message : String(error)}`;
  return { status: 500, type: 'api_error', message, detail: undefined, param: undefined };
}

/** The error type that a vendor sends with a status; for one that it does not name, that of its half. */
export function errorTypeOf(status: number, { statuses }: Vendor): ApiErrorType {
  const types = Object.keys(statuses) as ApiErrorType[];
  const named = types.find((type) => statuses[type] === status);
  return named ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
