import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A little authorization server, strict about PKCE, redirects and refresh tokens that come twice. */
export interface AuthorizationServer {
  /** Guards `inner` at `/mcp` and serves the rest itself. */
  guard(inner: RequestListener): RequestListener;
  /** No access token of now is good any more; those that renew get new ones. */
  expireAccess(): void;
  /** Nobody's login is good any more. */
  revokeAll(): void;
  /** Paths that were asked for, but `/mcp`. */
  readonly asked: readonly string[];
  /** Times that tokens were renewed. */
  renewals(): number;
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly clientId: string;
}

export function createAuthorizationServer(): AuthorizationServer {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const spent = new Set<string>();
  const asked: string[] = [];
  let renewed = 0;

  const issue = (): object => {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() };
    access.add(tokens.access_token);
    refresh.add(tokens.refresh_token);
    return { ...tokens, token_type: 'Bearer', expires_in: 3_600 };
  };

  const exchange = (form: URLSearchParams): object | string => {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      code?.challenge === challenge &&
      code.redirectUri === form.get('redirect_uri') &&
      code.clientId === form.get('client_id');
    return isRight ? issue() : 'invalid_grant';
  };

  /** One that comes twice was stolen: everything of the family is void. */
  const renew = (form: URLSearchParams): object | string => {
    const token = form.get('refresh_token') ?? '';
    if (spent.has(token)) revokeAll();
    if (!refresh.delete(token)) return 'invalid_grant';
    spent.add(token);
    renewed += 1;
    return issue();
  };

  function revokeAll(): void {
    access.clear();
    refresh.clear();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `http://${request.headers.host}`;
    const url = new URL(request.url ?? '/', origin);
    asked.push(url.pathname);
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case '/.well-known/oauth-authorization-server':
        return json(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case '/register': {
        const metadata = JSON.parse(await text(request)) as { readonly redirect_uris: readonly string[] };
        const client = randomUUID();
        clients.set(client, metadata.redirect_uris);
        return json(response, { ...metadata, client_id: client }, 201);
      }
      case '/authorize': {
        const [clientId, redirectUri] = [query(url, 'client_id'), query(url, 'redirect_uri')];
        if (!clients.get(clientId)?.includes(redirectUri)) return json(response, { error: 'client' }, 400);
        const code = randomUUID();
        codes.set(code, { challenge: query(url, 'code_challenge'), redirectUri, clientId });
        const back = new URL(redirectUri);
        back.search = String(new URLSearchParams({ code, state: query(url, 'state') }));
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const form = new URLSearchParams(await text(request));
        const result = form.get('grant_type') === 'refresh_token' ? renew(form) : exchange(form);
        return typeof result === 'string' ? json(response, { error: result }, 400) : json(response, result);
      }
      default:
        return json(response, {}, 404);
    }
  }

  return {
    guard: (inner) => (request, response) => {
      if (request.url !== '/mcp') return void serve(request, response);
      if (access.has(request.headers.authorization?.replace(/^Bearer /, '') ?? ''))
        return inner(request, response);
      const metadata = `http://${request.headers.host}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    },
    expireAccess: () => access.clear(),
    revokeAll,
    asked,
    renewals: () => renewed,
  };
}

function query(url: URL, name: string): string {
  return url.searchParams.get(name) ?? '';
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
