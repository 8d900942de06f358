import { commonStatuses } from '../vendor.ts';
import type { Vendor } from '../vendor.ts';

/** Anthropic: statuses and error envelope of §1.16.1. */
export const anthropic: Vendor = {
  requestIdHeader: 'request-id',
  badJson: 'The request body is not valid JSON: SyntaxError',
  statuses: { ...commonStatuses, overloaded_error: 529 },
  errorBody({ type, message, detail }, requestId) {
    const details = detail === undefined ? {} : { details: { error_code: detail } };
    return { type: 'error', error: { type, message, ...details }, request_id: requestId };
  },
};
