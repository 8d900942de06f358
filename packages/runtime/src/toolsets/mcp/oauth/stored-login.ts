import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { RuntimeError } from '../../../runtime-error.ts';
import { createLoginProvider } from './login-draft.ts';
import type { LoginDraft, LoginSettings } from './login-draft.ts';
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

type UnauthorizedContext = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

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

  async function renew(login: McpLogin, context: UnauthorizedContext): Promise<McpLogin | undefined> {
    if (login.tokens?.refresh_token === undefined) throw needsLogin();
    const isOther = refused.get(context.response) !== `Bearer ${login.tokens.access_token}`;
    if (isOther) return undefined; // renewed since
    const draft: LoginDraft = { login };
    try {
      await askForTokens(draft, options, context);
    } catch (error) {
      if (draft.login.tokens !== undefined) throw error;
    }
    return draft.login; // without tokens where they are void
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
    async onUnauthorized(context) {
      await store.change(key, (login) => renew(login, context));
      const { tokens } = (await store.read(key)) ?? {};
      if (tokens === undefined) throw needsLogin();
    },
  };
}

async function askForTokens(
  draft: LoginDraft,
  { key, settings, fetch, needsLogin }: StoredLoginOptions,
  { response }: UnauthorizedContext,
): Promise<void> {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  const askAt = (): never => {
    if (draft.login.tokens === undefined) throw needsLogin();
    throw new Error('The login could not be renewed: the authorization server can not be reached.');
  };
  const provider = createLoginProvider(draft, settings, { redirectUrl: unusedUrl, state: '', askAt });
  await auth(provider, {
    serverUrl: key.url,
    fetchFn: fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  });
}

/** Nobody is sent anywhere. */
const unusedUrl = 'http://127.0.0.1/';
