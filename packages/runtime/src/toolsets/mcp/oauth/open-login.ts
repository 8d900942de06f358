import type { Variables } from '@quartermaster/agent/settings';
import type { McpConfig } from '../../../agent-file/mcp-schema.ts';
import { RuntimeError } from '../../../runtime-error.ts';
import { readLoginSettings } from '../server-config.ts';
import type { ServerPlace } from '../server-config.ts';
import { createLoginFetch } from './login-fetch.ts';
import type { LoginFetchOptions } from './login-fetch.ts';
import type { McpLoginStore } from './login-store.ts';
import { createStoredLogin } from './stored-login.ts';
import type { StoredLogin } from './stored-login.ts';

/** Whose logins are used. */
export interface McpLogins {
  readonly store: McpLoginStore;
  /** Whose they are; nobody else may call a server with them (case 137). */
  readonly user: string;
  /** What this person does to log in to a server: `run "qm …".` */
  readonly advice: (server: string) => string;
}

/** What logins are used with. */
export interface LoginOptions extends LoginFetchOptions {
  readonly name: string;
  readonly env: Variables;
  /** Default: none, and a server that asks for one is given up. */
  readonly logins?: McpLogins;
}

/** The login at one server. */
export interface OpenLogin {
  readonly tokens: StoredLogin;
  /** Throws `RUNTIME_MCP_LOGIN` for a user whose login it is not, once it is used. */
  requireUser(user: string): void;
}

/** Nothing for a program, and where there are no logins. */
export function openLogin(
  config: McpConfig,
  { place, options }: { readonly place: ServerPlace; readonly options: LoginOptions },
): OpenLogin | undefined {
  const { logins, name, env } = options;
  if (place.type === 'program' || logins === undefined) return undefined;
  const { store, user, advice } = logins;
  const tokens = createStoredLogin({
    store,
    key: { user, url: place.url.href },
    settings: readLoginSettings(config, env),
    fetch: createLoginFetch(place.url, options),
    needsLogin: () => new RuntimeError('RUNTIME_MCP_LOGIN', `It asks ${user} for a login: ${advice(name)}`),
  });
  return {
    tokens,
    requireUser(caller) {
      if (caller === user || !tokens.isUsed()) return;
      throw new RuntimeError(
        'RUNTIME_MCP_LOGIN',
        `The MCP server ${name} is used with the login of another user, which is not shared.`,
      );
    },
  };
}
