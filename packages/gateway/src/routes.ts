/** Whose envelope an error on the route wears. */
export type Dialect = 'anthropic' | 'openai' | 'gemini';

/** Where a request goes. `path` is what the provider gets: the query and every escape as the client wrote them. */
export interface Route {
  readonly dialect: Dialect;
  readonly path: string;
  /** `messages`: the gateway reads and may rewrite it. `counted`: bounded like messages, never rewritten. `opaque`: anything else. */
  readonly kind: 'messages' | 'counted' | 'opaque';
}

/** Local mode knows one account. */
export const localTenant = 'local';

const dialects: readonly Dialect[] = ['anthropic', 'openai', 'gemini'];

/** Finds the route of a request target, or `undefined` where the path belongs to none of the providers. */
export function matchRoute(method: string, target: string): Route | undefined {
  for (const dialect of dialects) {
    const prefix = `/${dialect}/`;
    if (!target.startsWith(prefix)) continue;
    // A base URL that was given with `/v1` to a client which adds its own: no provider has such a path.
    const path = target.slice(prefix.length - 1).replace(/^\/v1\/v1\//, '/v1/');
    return { dialect, path, kind: kindOf(method, dialect, path) };
  }
  return undefined;
}

function kindOf(method: string, dialect: Dialect, path: string): Route['kind'] {
  if (method !== 'POST') return 'opaque';
  switch (`${dialect} ${path.split('?', 1)[0]}`) {
    case 'anthropic /v1/messages':
      return 'messages';
    case 'anthropic /v1/messages/count_tokens':
    case 'openai /v1/responses':
    case 'openai /v1/chat/completions':
      return 'counted';
    default:
      return 'opaque';
  }
}
