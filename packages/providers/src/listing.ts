import { hash } from 'node:crypto';
import { redact } from '@quartermaster/agent/settings';
import type { ModelLister } from '@quartermaster/agent/models';
import type { Secret } from '@quartermaster/agent/settings';
import { ProviderError } from './provider-error.ts';

/** How to reach a provider. Nothing else is read: what its SDK would take from the environment is switched off. */
export interface ListerOptions {
  readonly apiKey: Secret;
  /** Where its SDK's base URL points; the vendor's own by default. */
  readonly baseUrl?: URL;
}

/** What a vendor's SDK does for a listing. */
export interface Listing extends ListerOptions {
  /** For people. */
  readonly vendor: string;
  /** Every page's ids. Contract: made with `closingHeaders`, and stops at `signal`. */
  readonly pages: (signal: AbortSignal) => AsyncIterable<string>;
}

/** Each answer ends its connection: none is left open when the listing is done (M4). */
export const closingHeaders: Readonly<Record<string, string>> = { connection: 'close' };

/** Makes the lister. It rejects with `PROVIDER_LISTING_FAILED`, whose message shows neither key nor credentials in URLs. */
export function createLister({ vendor, apiKey, baseUrl, pages }: Listing): ModelLister {
  return {
    scope: hash('sha256', JSON.stringify([vendor, baseUrl?.href ?? '', apiKey.reveal()])),
    async list({ signal }) {
      const over = new AbortController();
      const ids: string[] = [];
      try {
        for await (const id of pages(AbortSignal.any([signal, over.signal]))) ids.push(id);
        return ids;
      } catch (error) {
        signal.throwIfAborted();
        // Without the cause: an SDK's error may hold the request, its headers and its URL (C3, case 131).
        const said = redact(causesOf(error).join(': '), [apiKey]);
        throw new ProviderError('PROVIDER_LISTING_FAILED', `${vendor} did not list its models: ${said}`);
      } finally {
        over.abort();
      }
    },
  };
}

/** The messages of an error and of what caused it, outermost first. */
function causesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  return error.cause === undefined ? [error.message] : [error.message, ...causesOf(error.cause)];
}
