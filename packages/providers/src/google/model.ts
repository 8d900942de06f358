import { GoogleGenAI } from '@google/genai';
import { baseUrlOf } from '../base-url.ts';
import { knownModel } from '../known-model.ts';
import type { LanguageModel } from '../language-model.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { sdkKeyOf } from '../sdk-key.ts';
import { createVendorModel } from '../vendor-model.ts';
import { geminiApiVersion } from './api-version.ts';
import { toGoogleBody } from './body.ts';
import { readGoogleRefusal } from './read-refusal.ts';
import { readGoogleStream } from './read-stream.ts';

/** A model behind the Gemini API, over Google's SDK. The base URL is without a version. */
export function createGoogleModel(options: LanguageModelOptions): LanguageModel {
  const api = 'google-gemini';
  const { provider, id } = options;
  const baseUrl = baseUrlOf(options, {
    provider: 'google',
    url: 'https://generativelanguage.googleapis.com',
  });
  return createVendorModel(
    api,
    {
      async *events(request, { signal, fetch }) {
        const { models } = new GoogleGenAI({
          apiKey: sdkKeyOf(options.apiKey),
          vertexai: false,
          apiVersion: geminiApiVersion,
          // Without `retryOptions` the SDK tries once; retries are ours.
          httpOptions: { baseUrl, headers: { ...options.headers }, fetch },
        });
        const { model, contents, config } = toGoogleBody(request, { api, provider, id });
        const stream = await models.generateContentStream({
          model,
          contents,
          config: { ...config, abortSignal: signal },
        });
        yield* readGoogleStream(stream, { provider, id, known: knownModel(options) });
      },
      readRefusal: readGoogleRefusal,
    },
    options,
  );
}
