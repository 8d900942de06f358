import { knownModel } from '../known-model.ts';
import type { LanguageModel } from '../language-model.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { createVendorModel } from '../vendor-model.ts';
import { createOpenAiClient, openAiUrlOf } from './client.ts';
import { readOpenAiRefusal } from './read-refusal.ts';
import { readResponsesStream } from './read-responses-stream.ts';
import { toResponsesBody } from './responses-body.ts';

/** A model behind OpenAI's Responses API, over the vendor's SDK. The base URL is with `/v1`. */
export function createOpenAiResponsesModel(options: LanguageModelOptions): LanguageModel {
  const api = 'openai-responses';
  const { provider, id } = options;
  openAiUrlOf(options);
  return createVendorModel(
    api,
    {
      async *events(request, exchange) {
        const body = toResponsesBody(request, { api, provider, id });
        const { responses } = createOpenAiClient(options, exchange);
        const stream = await responses.create(body, { signal: exchange.signal });
        yield* readResponsesStream(stream, { provider, id, known: knownModel(options) });
      },
      readRefusal: readOpenAiRefusal,
    },
    options,
  );
}
