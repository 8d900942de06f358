import { Anthropic } from '@anthropic-ai/sdk';
import type { ModelLister } from '@quartermaster/agent/models';
import { closingHeaders, createLister } from './listing.ts';
import type { ListerOptions } from './listing.ts';

const vendorUrl = 'https://api.anthropic.com';
/** The most that the API gives on a page. */
const pageSize = 1_000;

/** Lists the models of Anthropic over its SDK. The base URL is without `/v1`. */
export function createAnthropicLister(options: ListerOptions): ModelLister {
  return createLister({
    ...options,
    vendor: 'Anthropic',
    async *pages(signal) {
      const client = new Anthropic({
        apiKey: options.apiKey.reveal(),
        authToken: null,
        baseURL: options.baseUrl?.href ?? vendorUrl,
        maxRetries: 1,
        defaultHeaders: closingHeaders,
        logLevel: 'off',
      });
      for await (const { id } of client.models.list({ limit: pageSize }, { signal })) yield id;
    },
  });
}
