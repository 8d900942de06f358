import type { ThreadKey } from '@quartermaster/store';

/** One text per thread, whatever its parts hold. */
export function threadId({ tenant, session, agent }: ThreadKey): string {
  return JSON.stringify([tenant, session, agent]);
}
