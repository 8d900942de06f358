import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** A key that Google would not know: the simulator refuses it, so that a test can see the error. */
const wrongKey = 'AIza-wrong';

/** The project behind a key, as a hash of it. Any key is taken but {@link wrongKey}; none is a 403. */
export function projectOf({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const header = headers['x-goog-api-key'];
  const query = new URL(url ?? '/', 'http://simulator').searchParams.get('key');
  const key = typeof header === 'string' && header !== '' ? header : (query ?? '');
  if (key === '') {
    throw new ApiError(
      'permission_error',
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other " +
        'form of API consumer identity to call this API.',
    );
  }
  if (key !== wrongKey) return hash('sha256', key);
  throw new ApiError('invalid_request_error', 'API key not valid. Please pass a valid API key.', {
    detail: 'API_KEY_INVALID',
  });
}
