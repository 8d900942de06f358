import { catalog } from '@quartermaster/catalog';
import type { LanguageModel, ModelRequest } from '@quartermaster/providers';
import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { toAnthropicBody } from '../src/anthropic/body.ts';
import { toGoogleBody } from '../src/google/body.ts';
import { toChatBody } from '../src/openai/chat-body.ts';
import { toResponsesBody } from '../src/openai/responses-body.ts';
import { requests } from './support/conversation.ts';
import { expectGrowing } from './support/prefix.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import { answerOf, startSimulator } from './support/simulated.ts';

const seed = inject('seed');

const builders: readonly {
  readonly api: LanguageModel['api'];
  readonly build: (request: ModelRequest) => unknown;
}[] = [
  {
    api: 'anthropic-messages',
    build: (request) =>
      toAnthropicBody(request, {
        api: 'anthropic-messages',
        lateTools: 'tail' as const,
        searchesTools: true,
        provider: 'anthropic',
        id: 'claude-opus-5-5',
        maxOutputTokens: 128_000,
      }),
  },
  {
    api: 'openai-responses',
    build: (request) =>
      toResponsesBody(request, {
        api: 'openai-responses',
        lateTools: 'tail' as const,
        searchesTools: true,
        provider: 'openai',
        id: 'gpt-5.6-sol',
        known: catalog.find('gpt-5.6-sol'),
      }),
  },
  {
    api: 'openai-chat',
    build: (request) =>
      toChatBody(request, {
        api: 'openai-chat',
        provider: 'openai',
        id: 'gpt-5.6-sol',
        known: catalog.find('gpt-5.6-sol'),
      }),
  },
  {
    api: 'google-gemini',
    build: (request) =>
      toGoogleBody(request, { api: 'google-gemini', provider: 'google', id: 'gemini-3.8-flash' }),
  },
];

describe.each(builders)('the body for $api', ({ api, build }) => {
  const printed = (request: ModelRequest): string => JSON.stringify(build(request));

  test('RP3: the same conversation gives the same bytes, and is not changed', () => {
    fc.assert(
      fc.property(requests(api), (request) => {
        const before = JSON.stringify(request);
        expect(printed(request)).toBe(printed(JSON.parse(before)));
        expect(JSON.stringify(request)).toBe(before);
      }),
      { seed, numRuns: 100 },
    );
  });

  test('RP1: no half of a character is in it, wherever a text was cut', () => {
    fc.assert(
      fc.property(requests(api), (request) => {
        expect(printed(request)).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
      }),
      { seed, numRuns: 100 },
    );
  });

  test('RP3: a longer conversation begins with the shorter one, byte for byte', () => {
    fc.assert(
      fc.property(requests(api), (request) => {
        const ends = request.messages.flatMap(({ role }, index) => (role === 'assistant' ? [] : [index + 1]));
        const bodies = ends.map((end) => printed({ ...request, messages: request.messages.slice(0, end) }));
        expectGrowing(bodies.filter((body, index) => body !== bodies[index - 1]));
      }),
      { seed, numRuns: 100 },
    );
  });

  test('RP3: nothing that another vendor gave is in it', () => {
    fc.assert(
      fc.property(requests(api), (request) => {
        const marked = JSON.parse(
          JSON.stringify(request, (key, value: unknown) => (key === 'data' ? { secret: 'canary' } : value)),
        );
        expect(printed(marked)).not.toContain('canary');
      }),
      { seed, numRuns: 100 },
    );
  });
});

describe.each(simulatedVendors)('$api', ({ api, modelAt }) => {
  const { provider } = modelAt({ url: new URL('http://127.0.0.1') });
  const known = catalog.models.filter((model) => model.provider === provider).map(({ id }) => id);
  const ids = provider === 'google' ? ['gemini-3.8-flash', 'gemini-3.5-flash-lite'] : known;

  test('RP1: the provider takes every valid conversation', { timeout: 60_000 }, async () => {
    await using upstream = await startSimulator();
    await fc.assert(
      fc.asyncProperty(requests(api), fc.constantFrom(...ids), async (request, id) => {
        await answerOf(modelAt(upstream, id, { terms: { maxRetries: 0 } }), request);
      }),
      { seed, numRuns: 100 },
    );
  });
});
