import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** Whose login it is, and where: nobody uses another's, and a token goes to no other address (case 137). */
export interface McpLoginKey {
  readonly user: string;
  /** The server's address. */
  readonly url: string;
}

/** What is kept of a login. */
export interface McpLogin {
  /** Without them one has to log in. */
  readonly tokens?: StoredOAuthTokens;
  /** As what the authorization server knows this program. */
  readonly client?: StoredOAuthClientInformation;
  /** Which authorization server it is. */
  readonly discovery?: OAuthDiscoveryState;
}

/** Keeps logins, for all processes of a person. */
export interface McpLoginStore {
  read(key: McpLoginKey): Promise<McpLogin | undefined>;
  /**
   * Lets nobody else, in no process, change the login until `change` has ended, and keeps what it answers; nothing is
   * changed where it answers `undefined`. A token that may be used once is so used once.
   */
  change(key: McpLoginKey, change: (login: McpLogin) => Promise<McpLogin | undefined>): Promise<void>;
}
