import type { Catalog } from '@quartermaster/catalog';
import { outlineMessages } from '@quartermaster/wire';
import { nameOf } from '../errors.ts';
import { checkKeyOf, type Checks } from '../check/checks.ts';
import type { MessagesRequest } from '../conversation/read.ts';
import { decodeBody } from '../http/encoding.ts';
import type { Upstream } from '../http/upstream.ts';
import { latin1Of } from '../latin1.ts';
import type { Log } from '../options.ts';
import type { Asks } from './asks.ts';

/** Lets the next Anthropic request of a tenant that asked carry the check, in every preset (CH8). */
export interface AskedChecks {
  isAwaited(tenant: string): boolean;
  /** Uses the tenant's ask up. The request itself goes on at once and unchanged. Never rejects. */
  use(request: MessagesRequest): Promise<void>;
}

/** Keeps nothing itself; the asks wait in `asks`. */
export function createAskedChecks(options: {
  readonly asks: Asks;
  readonly catalog: Catalog;
  readonly checks: Checks;
  readonly upstream: Upstream;
  readonly log: Log;
  readonly maxBodyBytes: number;
}): AskedChecks {
  const { asks, catalog, checks, upstream, log } = options;

  async function modelOf({ body, headers }: MessagesRequest): Promise<string | undefined> {
    const decoded = await decodeBody(body, headers['content-encoding'], options.maxBodyBytes);
    if (decoded.type === 'refused') return undefined;
    const read = outlineMessages(latin1Of(decoded.body));
    return read.type === 'outline' ? read.outline.model : undefined;
  }

  async function check(request: MessagesRequest): Promise<void> {
    const model = await modelOf(request);
    if (model === undefined || catalog.find(model) === undefined) {
      log.warn(
        { model: model?.slice(0, 128) },
        'a check was asked for, but this model has no price: dropped (CH4)',
      );
      return;
    }
    const { headers, path } = request;
    const isStarted = checks.start(checkKeyOf(upstream.name, model, path), { upstream, headers, path });
    // Too many are under way: the tenant's next request may have it.
    if (!isStarted) asks.add(request.tenant);
  }

  return {
    isAwaited: (tenant) => asks.has(tenant),
    async use(request) {
      if (!asks.take(request.tenant)) return;
      try {
        await check(request);
      } catch (error) {
        log.error({ error: nameOf(error) }, 'an asked check could not start');
      }
    },
  };
}
