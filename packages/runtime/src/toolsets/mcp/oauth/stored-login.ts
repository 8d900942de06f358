import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client';
import type { AuthProvider, StoredOAuthTokens } from '@modelcontextprotocol/client';
import type { RuntimeError } from '../../../runtime-error.ts';
import { ownClient } from './login-draft.ts';
import type { LoginSettings } from './login-draft.ts';
import type { McpLogin, McpLoginKey, McpLoginStore } from './login-store.ts';

/** A login and how it is used where nobody can be asked. */
export interface StoredLoginOptions {
  readonly store: McpLoginStore;
  readonly key: McpLoginKey;
  readonly settings: LoginSettings;
  /** For the authorization server alone. */
  readonly fetch: typeof globalThis.fetch;
  /** Says what a person has to do. */
  readonly needsLogin: () => RuntimeError;
}

/** Gives the tokens of a login, and whether there was one. */
export interface StoredLogin extends AuthProvider {
  isUsed(): boolean;
  /** The `fetch` to reach the server by: it notes with which token a request was refused. */
  watch(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/**
 * The tokens of a login that a person made before. One that is over is renewed by whoever finds out first, in whatever
 * process: the others take what it got. Rejects with `needsLogin` at once where only a person can help.
 */
export function createStoredLogin(options: StoredLoginOptions): StoredLogin {
  const { store, key, needsLogin } = options;
  const refused = new WeakMap<Response, string | null>();
  let isUsed = false;

  async function renew(login: McpLogin, response: Response): Promise<McpLogin | undefined> {
    const { tokens } = login;
    if (tokens?.refresh_token === undefined) throw needsLogin();
    if (refused.get(response) !== `Bearer ${tokens.access_token}`) return undefined; // renewed since
    try {
      return { ...login, tokens: await askForTokens(login, tokens.refresh_token, options) };
    } catch (error) {
      if (!isVoid(error)) throw error;
      const { tokens: _, ...rest } = login;
      return rest;
    }
  }

  return {
    isUsed: () => isUsed,
    watch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401) refused.set(response, new Headers(init?.headers).get('authorization'));
      return response;
    },
    async token() {
      const token = (await store.read(key))?.tokens?.access_token;
      isUsed ||= token !== undefined;
      return token;
    },
    async onUnauthorized({ response }) {
      await store.change(key, (login) => renew(login, response));
      const { tokens } = (await store.read(key)) ?? {};
      if (tokens === undefined) throw needsLogin();
    },
  };
}

/** Asked is the authorization server of the login, whatever the server names by now. */
async function askForTokens(
  { tokens, discovery, ...login }: McpLogin,
  refreshToken: string,
  { settings, fetch, needsLogin }: StoredLoginOptions,
): Promise<StoredOAuthTokens> {
  const clientInformation = ownClient(settings) ?? login.client;
  if (clientInformation === undefined || discovery === undefined) throw needsLogin();
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  const renewed = await refreshAuthorization(authorizationServerUrl, {
    clientInformation,
    refreshToken,
    fetchFn: fetch,
    ...(metadata !== undefined && { metadata }),
    ...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
  });
  return { ...renewed, ...(tokens?.issuer !== undefined && { issuer: tokens.issuer }) };
}

/** Whether a login is void for good, and not only out of reach. */
function isVoid(error: unknown): boolean {
  return error instanceof OAuthError && voidCodes.includes(error.code);
}

const voidCodes: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
];
