import type { ModelLister } from '@quartermaster/agent/models';
import { OpenAI } from 'openai';
import { closingHeaders, createLister } from './listing.ts';
import type { ListerOptions } from './listing.ts';

const vendorUrl = 'https://api.openai.com/v1';

/** Lists the models of OpenAI over its SDK. The base URL is with `/v1`. */
export function createOpenaiLister(options: ListerOptions): ModelLister {
  return createLister({
    ...options,
    vendor: 'OpenAI',
    async *pages(signal) {
      const client = new OpenAI({
        apiKey: options.apiKey.reveal(),
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL: options.baseUrl?.href ?? vendorUrl,
        maxRetries: 1,
        defaultHeaders: closingHeaders,
        logLevel: 'off',
      });
      for await (const { id } of client.models.list({ signal })) yield id;
    },
  });
}
