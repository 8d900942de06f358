import { refuse } from '../../api-error.ts';
import { hasBeta } from '../betas.ts';
import type { JsonObject } from '../../json.ts';
import { refuseExtra, refuseOther, requireObject } from './schema.ts';

/** The shape of the `cache_control` member that `object` may have; `scope` only exists under its beta. */
export function checkCacheControl(object: JsonObject, path: string, betas: readonly string[]): void {
  const value = object['cache_control'];
  if (value === undefined || value === null) return;
  const at = path === '' ? 'cache_control' : `${path}.cache_control`;
  const control = requireObject(value, at);
  if (control['type'] === undefined) throw refuse(`${at}.type: Field required`);
  refuseOther(control['type'], `${at}.type`, ['ephemeral']);
  refuseOther(control['ttl'], `${at}.ttl`, ['5m', '1h']);
  refuseExtra(control, at, ['type', 'ttl', ...(hasBeta(betas, 'prompt-caching-scope') ? ['scope'] : [])]);
}
