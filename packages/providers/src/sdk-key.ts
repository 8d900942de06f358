import type { Secret } from '@quartermaster/agent/settings';

/**
 * The key as an SDK takes it. A server of one's own often wants none, and for an empty one the SDKs refuse, warn on the
 * console or look into the environment.
 */
export function sdkKeyOf(apiKey: Secret): string {
  return apiKey.reveal() || 'none';
}
