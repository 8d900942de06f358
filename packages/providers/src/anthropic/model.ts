import { Anthropic } from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { Stream } from '@anthropic-ai/sdk/streaming';
import { baseUrlOf } from '../base-url.ts';
import { knownModel } from '../known-model.ts';
import type { LanguageModel } from '../language-model.ts';
import { longestTimeoutMs } from '../model-options.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { sdkKeyOf } from '../sdk-key.ts';
import { createVendorModel } from '../vendor-model.ts';
import { toAnthropicBody } from './body.ts';
import type { AnthropicTarget } from './body.ts';
import { readAnthropicRefusal } from './read-refusal.ts';
import { readAnthropicStream } from './read-stream.ts';

/** What a model that the catalog does not know may say at once; every one of the last two years can say as much. */
const defaultMaxOutputTokens = 32_000;

/** A model behind Anthropic's Messages API, over the vendor's SDK. The base URL is without `/v1`. */
export function createAnthropicModel(options: LanguageModelOptions): LanguageModel {
  const { provider, id } = options;
  const baseURL = baseUrlOf(options, { provider: 'anthropic', url: 'https://api.anthropic.com' });
  const known = knownModel(options);
  const target: AnthropicTarget = {
    api: 'anthropic-messages',
    provider,
    id,
    maxOutputTokens: known?.capabilities.maxOutputTokens ?? defaultMaxOutputTokens,
  };
  return createVendorModel(
    'anthropic-messages',
    {
      async *events(request, { signal, fetch }) {
        const client = new Anthropic({
          apiKey: sdkKeyOf(options.apiKey),
          authToken: null,
          baseURL,
          defaultHeaders: options.headers,
          // Retries are ours: the SDK's end where the answer begins, and its clock can't be given.
          maxRetries: 0,
          timeout: longestTimeoutMs,
          fetch,
          logLevel: 'off',
        });
        // Not `messages.create`, which writes to the console about models that are to go.
        const body = toAnthropicBody(request, target);
        const stream = await client.post<Stream<RawMessageStreamEvent>>('/v1/messages', {
          body,
          stream: true,
          signal,
        });
        yield* readAnthropicStream(stream, { provider, id, known });
      },
      readRefusal: readAnthropicRefusal,
    },
    options,
  );
}
