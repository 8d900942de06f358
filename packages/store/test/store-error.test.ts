import { expect, test } from 'vitest';
import { StoreError, storeErrors } from '@quartermaster/store';

test('an error keeps its code and its cause, and every code has its traits', () => {
  const cause = new Error('cause');
  const error = new StoreError('STORE_BUSY', 'Expected …', { cause });
  expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_BUSY', message: 'Expected …', cause });
  expect(storeErrors[error.code]).toEqual({ status: 503, fault: 'store', retryable: true });
});
