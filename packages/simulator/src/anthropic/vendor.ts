import type { Vendor } from '../vendor.ts';

/** Anthropic: statuses and error envelope of §1.16.1. */
export const anthropic: Vendor = {
  requestIdHeader: 'request-id',
  badJson: 'The request body is not valid JSON: SyntaxError',
  statuses: {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    conflict_error: 409,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  },
  errorBody({ type, message, detail }, requestId) {
    const details = detail === undefined ? {} : { details: { error_code: detail } };
    return { type: 'error', error: { type, message, ...details }, request_id: requestId };
  },
};
