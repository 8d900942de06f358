import { GoogleGenAI } from '@google/genai';
import type { ModelLister } from '@quartermaster/agent/models';
import { geminiApiVersion } from './google/api-version.ts';
import { closingHeaders, createLister } from './listing.ts';
import type { ListerOptions } from './listing.ts';

const vendorUrl = 'https://generativelanguage.googleapis.com';
/** The most that the API gives on a page. */
const pageSize = 1_000;

/** Lists the models of the Gemini API over Google's SDK; without `models/` before their ids. */
export function createGoogleLister(options: ListerOptions): ModelLister {
  return createLister({
    ...options,
    vendor: 'Google',
    async *pages(signal) {
      const client = new GoogleGenAI({
        apiKey: options.apiKey.reveal(),
        vertexai: false,
        apiVersion: geminiApiVersion,
        httpOptions: {
          baseUrl: options.baseUrl?.href ?? vendorUrl,
          headers: { ...closingHeaders },
          retryOptions: { attempts: 2 },
        },
      });
      const pager = await client.models.list({ config: { pageSize, abortSignal: signal } });
      for await (const { name } of pager) if (name !== undefined) yield name.replace(/^models\//, '');
    },
  });
}
