import { OpenAI } from 'openai';
import { baseUrlOf } from '../base-url.ts';
import { longestTimeoutMs } from '../model-options.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { sdkKeyOf } from '../sdk-key.ts';
import type { Exchange } from '../vendor-call.ts';

/** The vendor's client for one exchange, with all that it would take from the environment switched off (C4). */
export function createOpenAiClient(options: LanguageModelOptions, { fetch }: Exchange): OpenAI {
  return new OpenAI({
    apiKey: sdkKeyOf(options.apiKey),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: openAiUrlOf(options),
    defaultHeaders: options.headers,
    // Retries are ours: the SDK's end where the answer begins, and its clock can't be given.
    maxRetries: 0,
    timeout: longestTimeoutMs,
    fetch,
    logLevel: 'off',
  });
}

/** With `/v1`. */
export function openAiUrlOf(options: LanguageModelOptions): string {
  return baseUrlOf(options, { provider: 'openai', url: 'https://api.openai.com/v1' });
}
