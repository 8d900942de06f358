import { catalog } from '@quartermaster/catalog';
import { createLanguageModel, ProviderError } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { closeObjects, requiresAll, toObjectSchema } from '../src/object-schema.ts';
import { lureSdks } from './support/sdk-environment.ts';
import { answerOf, apiKey, ask, startSimulator } from './support/simulated.ts';

describe('createLanguageModel', () => {
  test.each([
    ['anthropic', 'claude-opus-5-5', 'anthropic-messages', 1_000_000],
    ['openai', 'gpt-5.4', 'openai-responses', 1_050_000],
    ['google', 'gemini-3.8-flash', 'google-gemini', undefined],
  ])('RP1: a model of %s is spoken to as its vendor does', (provider, id, api, contextTokens) => {
    expect(createLanguageModel({ provider, id, apiKey, catalog })).toMatchObject({
      provider,
      id,
      api,
      contextTokens,
    });
  });

  test('RP1: any other provider is spoken to by Chat Completions, or as it is said', () => {
    const options = {
      provider: 'elsewhere',
      id: 'gpt-5.4',
      apiKey,
      catalog,
      baseUrl: new URL('http://127.0.0.1'),
    };
    const model = createLanguageModel(options);
    expect(model.api).toBe('openai-chat');
    // Another provider's model of the same name has other prices and windows.
    expect(model.contextTokens).toBeUndefined();
    expect(createLanguageModel({ ...options, api: 'anthropic-messages' }).api).toBe('anthropic-messages');
  });

  test.each(['anthropic-messages', 'openai-responses', 'openai-chat', 'google-gemini'] as const)(
    'C4: without a base URL another provider is an error, and never the vendor of %s',
    (api) => {
      const create = () => createLanguageModel({ provider: 'elsewhere', id: 'm', api, apiKey, catalog });
      expect(create).toThrow(ProviderError);
      expect(create).toThrow('base URL for elsewhere/m');
    },
  );

  test('C4: nothing in the environment that an SDK would read changes where a prompt goes', async () => {
    await using wanted = await startSimulator();
    await using other = await startSimulator();
    using _lure = lureSdks(other.url);
    for (const [provider, id, base] of [
      ['anthropic', 'claude-opus-5-5', '/'],
      ['openai', 'gpt-5.4', '/v1'],
      ['google', 'gemini-3.8-flash', '/'],
    ] as const) {
      const baseUrl = new URL(base, wanted.url);
      await answerOf(createLanguageModel({ provider, id, apiKey, catalog, baseUrl }), ask('hello'));
    }
    expect(wanted.seen).toHaveLength(3);
    expect(wanted.seen).toEqual([
      '/v1/messages',
      '/v1/responses',
      '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    ]);
    expect(other.seen).toEqual([]);
  });

  test('RP1: headers of the caller are sent, as to a gateway on the way', async () => {
    await using upstream = await startSimulator();
    const headers = { 'x-simulator-fault': '401' };
    for (const [provider, id, base] of [
      ['anthropic', 'claude-opus-5-5', '/'],
      ['openai', 'gpt-5.4', '/v1'],
      ['google', 'gemini-3.8-flash', '/'],
    ] as const) {
      const baseUrl = new URL(base, upstream.url);
      const model = createLanguageModel({ provider, id, apiKey, catalog, baseUrl, headers });
      await expect(answerOf(model, ask('hello'))).rejects.toMatchObject({ code: 'PROVIDER_NOT_AUTHORISED' });
    }
  });
});

describe('the schema of a tool', () => {
  test('RP1: it is of type object and has properties', () => {
    expect(toObjectSchema({})).toEqual({ type: 'object', properties: {} });
    const schema = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }] } },
      required: ['a'],
    } as const;
    expect(toObjectSchema(schema)).toEqual(schema);
  });

  test('RP1: choices at the top, which vendors refuse, become members beside the others', () => {
    const schema = {
      $schema: 'x',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      anyOf: [
        { properties: { a: { type: 'string' }, kind: { const: 'a' } } },
        { oneOf: [{ properties: { b: { type: 'number' } } }, { properties: { a: { type: 'number' } } }] },
      ],
      not: {},
      enum: [],
    };
    expect(toObjectSchema(schema)).toEqual({
      type: 'object',
      properties: { kind: { type: 'string' }, a: { type: 'string' }, b: { type: 'number' } },
      required: ['kind'],
    });
  });
});

describe('the form of an answer', () => {
  const open = {
    type: 'object',
    properties: {
      properties: { type: 'object', properties: { a: { type: 'string' } } },
      list: { items: {} },
    },
    required: ['properties', 'list'],
    $defs: { free: { type: 'object', properties: {}, additionalProperties: true } },
  };

  test('RP1: each of its objects is closed, whatever their members are called', () => {
    expect(closeObjects(open)).toEqual({
      ...open,
      properties: {
        properties: { ...open.properties.properties, additionalProperties: false },
        list: { items: {} },
      },
      additionalProperties: false,
    });
  });

  test('RP1: it is strict where every object requires all of its members', () => {
    expect(requiresAll(open)).toBe(false);
    const inner = { ...open.properties.properties, required: ['a'] };
    expect(requiresAll({ ...open, properties: { ...open.properties, properties: inner } })).toBe(true);
    expect(requiresAll({ anyOf: [open] })).toBe(false);
  });
});
