import { dropOldest } from '../drop-oldest.ts';

/** Who waits for a check: one ask per tenant, in memory only, until the tenant's next Anthropic request (CH8). */
export interface Asks {
  add(tenant: string): void;
  has(tenant: string): boolean;
  /** Takes the tenant's ask away; answers whether there was one. */
  take(tenant: string): boolean;
}

const maxTenants = 10_000;

/** Empty; the oldest ask gives way beyond 10,000 tenants. */
export function createAsks(): Asks {
  const tenants = new Set<string>();
  return {
    add(tenant) {
      tenants.delete(tenant);
      tenants.add(tenant);
      dropOldest(tenants, maxTenants);
    },
    has: (tenant) => tenants.has(tenant),
    take: (tenant) => tenants.delete(tenant),
  };
}
