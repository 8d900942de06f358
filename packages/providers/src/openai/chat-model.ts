import { knownModel } from '../known-model.ts';
import type { LanguageModel } from '../language-model.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { createVendorModel } from '../vendor-model.ts';
import { createOpenAiClient, openAiUrlOf } from './client.ts';
import { readOpenAiRefusal } from './read-refusal.ts';
import { readChatStream } from './read-chat-stream.ts';
import { toChatBody } from './chat-body.ts';

/** A model behind OpenAI's Chat Completions API, over the vendor's SDK. The base URL is with `/v1`. */
export function createOpenAiChatModel(options: LanguageModelOptions): LanguageModel {
  const api = 'openai-chat';
  const { provider, id } = options;
  openAiUrlOf(options);
  const known = knownModel(options);
  return createVendorModel(
    api,
    {
      async *events(request, exchange) {
        const body = toChatBody(request, { api, provider, id, known });
        const { chat } = createOpenAiClient(options, exchange);
        const stream = await chat.completions.create(body, { signal: exchange.signal });
        yield* readChatStream(stream, { provider, id, known });
      },
      readRefusal: readOpenAiRefusal,
    },
    options,
  );
}
