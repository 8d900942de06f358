import { Anthropic } from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { Stream } from '@anthropic-ai/sdk/streaming';
import type { AssistantMessage } from '@quartermaster/agent/messages';
import type { Model } from '@quartermaster/catalog';
import { baseUrlOf } from '../base-url.ts';
import { knownModel } from '../known-model.ts';
import type { LanguageModel, ModelRequest } from '../language-model.ts';
import { plainToolTaking } from '../place-tools.ts';
import type { ToolTaking } from '../place-tools.ts';
import { longestTimeoutMs } from '../model-options.ts';
import type { LanguageModelOptions } from '../model-options.ts';
import { sdkKeyOf } from '../sdk-key.ts';
import { createVendorModel } from '../vendor-model.ts';
import { toAnthropicBody } from './body.ts';
import type { AnthropicBody, AnthropicTarget } from './body.ts';
import { readAnthropicRefusal } from './read-refusal.ts';
import { readAnthropicAnswer } from './read-answer.ts';
import type { AskOn } from './read-answer.ts';
import type { AnswerPart } from './read-stream.ts';

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
    ...toolTakingOf(known),
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
        const askOn: AskOn = (said) => {
          const body = toAnthropicBody(goingOn(request, said, { provider, id }), target);
          const asked = { body, headers: betasOf(body), stream: true, signal };
          return client.post<Stream<RawMessageStreamEvent>>('/v1/messages', asked);
        };
        yield* readAnthropicAnswer(askOn, { provider, id, known });
      },
      readRefusal: readAnthropicRefusal,
    },
    options,
    target,
  );
}

/** Of a model that the catalog does not know nothing is expected. */
function toolTakingOf(known: Model | undefined): ToolTaking {
  if (known?.capabilities.toolSearch !== true) return plainToolTaking;
  return { lateTools: known.capabilities.systemMessages ? 'tail' : 'call', searchesTools: true };
}

/** Asked for only where it is used: a server in between may know no such feature. */
function betasOf({ messages }: AnthropicBody): Readonly<Record<string, string>> {
  const addsTools = messages.some(({ role }) => role === 'system');
  return addsTools ? { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' } : {};
}

/** The request with what was answered so far at its end. */
function goingOn(
  request: ModelRequest,
  content: readonly AnswerPart[],
  model: AssistantMessage['model'],
): ModelRequest {
  if (content.length === 0) return request;
  const said: AssistantMessage = { role: 'assistant', id: 'paused', content, model, stopReason: 'other' };
  return { ...request, messages: [...request.messages, said] };
}
