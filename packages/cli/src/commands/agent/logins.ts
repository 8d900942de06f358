import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileLoginStore } from '@quartermaster/runtime/toolsets';
import type { McpLogins } from '@quartermaster/runtime/toolsets';
import { stateFolder } from '../../config/layers.ts';
import type { Surroundings } from '../../surroundings.ts';

/**
 * The logins of a user at MCP servers. They stand with the user's state wherever the store is: a project may say where
 * its store is, and it must not get the user's tokens so.
 */
export function openLogins(file: string, user: string, surroundings: Surroundings): McpLogins {
  const { clock, ids } = surroundings;
  const folder = path.join(stateFolder(surroundings), 'logins');
  return {
    store: createFileLoginStore({ folder, clock, ids, sleep: (ms) => sleep(ms) }),
    user,
    advice: (server) => `run "qm agent ${file} --login ${server} --trust".`,
  };
}
