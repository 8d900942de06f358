import type { ApiErrorType } from '../api-error.ts';
import { commonStatuses } from '../vendor.ts';
import type { Vendor } from '../vendor.ts';

/** OpenAI: statuses and error envelope of §2.6. */
export const openai: Vendor = {
  requestIdHeader: 'x-request-id',
  badJson:
    'We could not parse the JSON body of your request. (HINT: This likely means you are not using your HTTP library ' +
    'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  statuses: commonStatuses,
  errorBody({ type, message, detail, param }) {
    const code = detail ?? (type === 'rate_limit_error' ? 'rate_limit_exceeded' : null);
    return { error: { message, type: openaiErrorType(type, code), param: param ?? null, code } };
  },
};

/** OpenAI has one type for everything that the client did wrong, and names quota and rate apart (§2.6). */
function openaiErrorType(type: ApiErrorType, code: string | null): string {
  switch (type) {
    case 'rate_limit_error':
      return code === 'insufficient_quota' ? code : 'requests';
    case 'api_error':
    case 'overloaded_error':
    case 'timeout_error':
      return 'server_error';
    default:
      return 'invalid_request_error';
  }
}
