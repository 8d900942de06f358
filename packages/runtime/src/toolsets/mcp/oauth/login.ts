import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { Variables } from '@quartermaster/agent/settings';
import type { McpConfig } from '../../../agent-file/mcp-schema.ts';
import { RuntimeError } from '../../../runtime-error.ts';
import { readAddress, readLoginSettings } from '../server-config.ts';
import { createLoginProvider } from './login-draft.ts';
import type { LoginDraft } from './login-draft.ts';
import { createLoginFetch } from './login-fetch.ts';
import type { LoginFetchOptions } from './login-fetch.ts';
import type { McpLoginStore } from './login-store.ts';

/** How a person logs in to a server. */
export interface McpLoginOptions extends LoginFetchOptions {
  /** A server with a `url`. */
  readonly config: McpConfig;
  /** Where the variables stand that the configuration names. */
  readonly env: Variables;
  readonly store: McpLoginStore;
  /** Who logs in, and alone may use the login (case 137). */
  readonly user: string;
  /** Unguessable. */
  readonly ids: () => string;
  /** Opens the page on which the person logs in, or shows its address. */
  readonly show: (url: URL) => void | Promise<void>;
  /** Ends the waiting for the person. */
  readonly signal: AbortSignal;
}

/**
 * Lets a person log in with a browser (authorization code with PKCE), and keeps the login; one that was kept before
 * stays until the new one is whole. Rejects with `RUNTIME_MCP_LOGIN`, with `RUNTIME_AGENT_FILE` for a server without an
 * address, and with what the authorization server refuses.
 */
export async function loginToMcpServer(options: McpLoginOptions): Promise<void> {
  const { config, env, store, user, ids, show, signal } = options;
  const url = readAddress(config, env);
  const fetch = createLoginFetch(url, options);
  const state = ids();
  await using callback = await listenForCallback(state, options);
  const draft: LoginDraft = { login: {} };
  const { redirectUrl } = callback;
  const provider = createLoginProvider(draft, readLoginSettings(config, env), {
    redirectUrl,
    state,
    askAt: show,
  });
  const request = { serverUrl: url, fetchFn: fetch };
  const asked = await auth(provider, { ...request, ...(await readChallenge(url, fetch)) });
  if (asked === 'REDIRECT') {
    const { code, issuer } = await callback.result;
    signal.throwIfAborted();
    await auth(provider, {
      ...request,
      authorizationCode: code,
      ...(issuer !== undefined && { iss: issuer }),
    });
  }
  await store.change({ user, url: url.href }, async () => draft.login);
}

/** What the server says about who may let a person in. */
async function readChallenge(url: URL, fetch: typeof globalThis.fetch) {
  const response = await fetch(url, { headers: { accept: 'application/json, text/event-stream' } });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

interface Callback extends AsyncDisposable {
  readonly redirectUrl: string;
  readonly result: Promise<{ readonly code: string; readonly issuer: string | undefined }>;
}

const page = 'You can close this window and go back to Quartermaster.';

/** Listens on this machine alone. A request without the right state is not the person's browser, and changes nothing. */
async function listenForCallback(state: string, { config, signal }: McpLoginOptions): Promise<Callback> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<Callback['result']>>();
  promise.catch(() => undefined); // it may be refused before anybody waits for it
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== '/callback' || searchParams.get('state') !== state) return response.writeHead(400).end();
    response.writeHead(200, { 'content-type': 'text/plain' }).end(page);
    const code = searchParams.get('code');
    if (code === null) reject(refused());
    else resolve({ code, issuer: searchParams.get('iss') ?? undefined });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(config.oauth?.callbackPort ?? 0, '127.0.0.1', listening);
  });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    result: promise,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', abort);
      server.close();
      server.closeAllConnections();
    },
  };
}

function refused(): RuntimeError {
  return new RuntimeError('RUNTIME_MCP_LOGIN', 'Expected the login to be granted; it was refused.');
}
