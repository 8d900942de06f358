import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Accounts } from '../account/accounts.ts';
import { type AccountSettings, parseChange } from '../account/settings.ts';
import { GatewayError, gatewayErrors } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import { localTenant } from '../routes.ts';
import type { ThreadOverview } from '../threads/overview.ts';
import { requireAccess } from './access.ts';

/** What the JSON API reads and changes. */
export interface ApiSource {
  readonly accounts: Accounts;
  readonly overview: ThreadOverview;
  /** Whether what is set survives a restart. */
  readonly isDurable: boolean;
  readonly adminToken: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface ApiEnvironment {
  readonly Bindings: HttpBindings;
}

const maxBodyBytes = 65_536;

/** `/api/v1`: the account's settings and the decisions of threads, for commands and the dashboard. */
export function createApi(source: ApiSource): Hono<ApiEnvironment> {
  const { accounts, overview, clock } = source;
  const api = new Hono<ApiEnvironment>();
  api.use(async ({ env }, next) => {
    requireAccess(env.incoming, source.adminToken);
    await next();
  });
  api.onError((error, context) => explain(error, context, source.log));

  api.get('/account', (context) => context.json(show(accounts.settingsOf(localTenant), source)));
  api.patch('/account', async (context) => {
    const change = parseChange(await readJson(context));
    return context.json(show(await accounts.change(localTenant, change), source));
  });
  api.get('/threads', async (context) => {
    const session = context.req.query('session');
    if (session === undefined || session === '') {
      throw new GatewayError(
        'GATEWAY_BAD_REQUEST',
        "expected ?session= with a client's session id, got none.",
      );
    }
    return context.json({ session, threads: await overview.ofSession(localTenant, session) });
  });
  api.post('/threads/end', async (context) => {
    await readJson(context);
    const cost = overview.costOfEnding(localTenant);
    // What is decided in this very millisecond from now on counts as decided in the next.
    await accounts.change(localTenant, { endedAtMs: clock.now() + 1 });
    return context.json(cost);
  });
  api.all('*', ({ req }) => {
    throw new GatewayError('GATEWAY_UNKNOWN_ROUTE', `there is no ${req.method} ${req.path}.`);
  });
  return api;
}

function show({ preset, toolfilter }: AccountSettings, { isDurable }: ApiSource): object {
  return {
    tenant: localTenant,
    preset,
    toolfilter: { ...toolfilter, ownSearch: 'off' },
    is_durable: isDurable,
  };
}

/** A form of another page can't send this type, nor a page a `fetch` of it unasked. */
async function readJson({ req }: Context<ApiEnvironment>): Promise<unknown> {
  const [type = ''] = (req.header('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new GatewayError('GATEWAY_NOT_JSON', `expected content-type application/json, got "${type}".`);
  }
  const length = Number(req.header('content-length') ?? Number.NaN);
  if (!(length <= maxBodyBytes)) {
    throw new GatewayError(
      'GATEWAY_BODY_TOO_LARGE',
      `expected a body with a content-length of at most ${maxBodyBytes} bytes.`,
    );
  }
  try {
    return JSON.parse(await req.text());
  } catch (cause) {
    throw new GatewayError('GATEWAY_BAD_REQUEST', 'expected a body of JSON, got something else.', { cause });
  }
}

function explain(error: Error, context: Context<ApiEnvironment>, log: Log): Response {
  if (error instanceof GatewayError) return answerError(context, error);
  log.error({ error: error.name }, 'a request of the JSON API failed');
  const reason = `the answer could not be made (${error.name}); the store may be unreadable just now.`;
  return answerError(context, new GatewayError('GATEWAY_STORE_FAILED', reason));
}

function answerError(context: Context<ApiEnvironment>, { code, message }: GatewayError): Response {
  return context.json({ error: { code, message } }, gatewayErrors[code].status);
}
