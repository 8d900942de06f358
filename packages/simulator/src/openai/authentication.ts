import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../api-error.ts';

/** A key that OpenAI's API would not know: the simulator refuses it, so that a test can see a 401. */
const wrongKey = 'sk-wrong';

/** The organisation behind a bearer token, as a hash of it. Any token is taken but {@link wrongKey}; none is a 401. */
export function organisationOf(headers: IncomingHttpHeaders): string {
  const token = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) {
    throw new ApiError(
      'authentication_error',
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
        '(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you are accessing ' +
        'the API from your browser and are prompted for a username and password. You can obtain an API key from ' +
        'https://platform.openai.com/account/api-keys.',
    );
  }
  if (token !== wrongKey) return hash('sha256', token);
  throw new ApiError(
    'authentication_error',
    `Incorrect API key provided: ${wrongKey}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    { detail: 'invalid_api_key' },
  );
}
