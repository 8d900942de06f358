import { knownModel } from '../known-model.ts';
import type { LanguageModel } from '../language-model.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { plainToolTaking } from '../place-tools.ts';
import type { ToolTaking } from '../place-tools.ts';
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
  const known = knownModel(options);
  const taking = known?.capabilities.toolSearch === true ? toolTaking : plainToolTaking;
  return createVendorModel(
    api,
    {
      async *events(request, exchange) {
        const body = toResponsesBody(request, { api, provider, id, known, ...taking });
        const { responses } = createOpenAiClient(options, exchange);
        const stream = await responses.create(body, { signal: exchange.signal });
        yield* readResponsesStream(stream, { provider, id, known });
      },
      readRefusal: readOpenAiRefusal,
    },
    options,
    taking,
  );
}

/** gpt-5.4 and later: pairs of a search that nobody made, and tools that are added at any place. */
const toolTaking: ToolTaking = { lateTools: 'tail', searchesTools: true };
