import type { TurnFault } from '@quartermaster/agent/turns';

/** What failed a turn, as events and results name it. */
export function describeError(error: unknown): TurnFault {
  if (!(error instanceof Error)) return { code: 'RUNTIME_FAILED', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'RUNTIME_FAILED';
  return { code, message: error.message };
}
