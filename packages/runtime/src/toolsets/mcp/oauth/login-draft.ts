import type { OAuthClientMetadata, OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Secret } from '@quartermaster/agent/settings';
import type { McpLogin } from './login-store.ts';

/** As what this program presents itself, where the authorization server does not register it by itself. */
export interface LoginSettings {
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  readonly scope?: string;
}

/** A login that is being changed. */
export interface LoginDraft {
  login: McpLogin;
}

/** How a person is asked. */
export interface AskPerson {
  /** Where the person's browser comes back to. */
  readonly redirectUrl: string;
  /** Unguessable; comes back with the browser. */
  readonly state: string;
  readonly askAt: (url: URL) => void | Promise<void>;
}

/** What the protocol's client reads and changes a login through. Nothing of it is kept before its end. */
export function createLoginProvider(
  draft: LoginDraft,
  settings: LoginSettings,
  { redirectUrl, state, askAt }: AskPerson,
): OAuthClientProvider {
  const own = ownClient(settings);
  let verifier = '';
  const change = (changes: Partial<McpLogin>): void => {
    draft.login = { ...draft.login, ...changes };
  };
  return {
    redirectUrl,
    clientMetadata: metadataOf(settings, redirectUrl),
    state: () => state,
    clientInformation: () => own ?? draft.login.client,
    ...(own === undefined && { saveClientInformation: (client) => change({ client }) }),
    tokens: () => draft.login.tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: askAt,
    saveCodeVerifier(made) {
      verifier = made;
    },
    codeVerifier: () => verifier,
    discoveryState: () => draft.login.discovery,
    saveDiscoveryState: (discovery) => change({ discovery }),
  };
}

function metadataOf({ clientSecret, scope }: LoginSettings, redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Quartermaster',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
    ...(scope !== undefined && { scope }),
  };
}

/** As what this program is known, where a person arranged that beforehand. */
export function ownClient({ clientId, clientSecret }: LoginSettings) {
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret.reveal() }),
  };
}
