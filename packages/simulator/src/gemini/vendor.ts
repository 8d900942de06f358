import type { JsonObject } from '../json.ts';
import { commonStatuses } from '../vendor.ts';
import type { Vendor } from '../vendor.ts';

/** `google.rpc.Code` by HTTP status. */
const codes: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Google's Gemini API: statuses and error envelope of `google.rpc.Status`. */
export const gemini: Vendor = {
  requestIdHeader: 'x-goog-request-id',
  badJson: 'Invalid JSON payload received. Unexpected token.',
  statuses: { ...commonStatuses, request_too_large: 400 },
  errorBody({ status, message, detail, param }) {
    const details = [...reasonOf(detail), ...violationOf(param, message)];
    return {
      error: {
        code: status,
        message,
        status: codes[status] ?? 'UNKNOWN',
        ...(details.length === 0 ? {} : { details }),
      },
    };
  },
};

function reasonOf(reason: string | undefined): readonly JsonObject[] {
  if (reason === undefined) return [];
  return [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }];
}

function violationOf(field: string | undefined, description: string): readonly JsonObject[] {
  if (field === undefined) return [];
  return [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
  ];
}
