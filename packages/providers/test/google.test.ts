import type { AssistantMessage, Message } from '@quartermaster/agent/messages';
import { catalog } from '@quartermaster/catalog';
import { createGoogleModel } from '@quartermaster/providers';
import type { LanguageModel, ModelRequest } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { toGoogleBody } from '../src/google/body.ts';
import { answerOf, apiKey, ask, noteWaits, results, tool, user } from './support/simulated.ts';
import type { Answer } from './support/simulated.ts';
import { listen } from './support/upstream.ts';

type Changes = Parameters<typeof createGoogleModel>[0];

const model = (baseUrl: URL, changes: Partial<Changes> = {}): LanguageModel =>
  createGoogleModel({ provider: 'google', id: 'gemini-3.8-flash', apiKey, baseUrl, catalog, ...changes });

const bodyOf = (request: ModelRequest, id = 'gemini-3.8-flash') =>
  toGoogleBody(request, { api: 'google-gemini', provider: 'google', id });

async function answerTo(chunks: readonly unknown[]): Promise<Answer> {
  await using upstream = await listen((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')),
  );
  return await answerOf(model(upstream.url, { terms: { maxRetries: 0 } }), ask('hello'));
}

const chunk = (parts: readonly unknown[], finishReason?: string) => ({
  responseId: 'r1',
  candidates: [{ content: { role: 'model', parts }, ...(finishReason !== undefined && { finishReason }) }],
});

describe('Gemini', () => {
  test('RP3: signatures go back in their places, also on an empty text; ids only where there were some', async () => {
    const { message, text, reasoning } = await answerTo([
      chunk([{ text: 'I th', thought: true }]),
      chunk([{ text: 'ink.', thought: true }]),
      chunk([{ text: 'Hel' }]),
      chunk([{ text: 'lo' }]),
      chunk([{ text: '', thoughtSignature: 'c2ln' }]),
      chunk([{ functionCall: { name: 'read', args: { a: 1 } }, thoughtSignature: 'Y2FsbA==' }]),
      chunk([{ functionCall: { id: 'f2', name: 'write', args: {} } }], 'STOP'),
    ]);
    expect([reasoning, text, message.stopReason]).toEqual(['I think.', 'Hello', 'tool-calls']);
    const messages: readonly Message[] = [user('x'), message, results(message, 'r', 'failed')];
    expect(bodyOf(ask('', { messages })).contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Hello' },
          { text: '', thoughtSignature: 'c2ln' },
          { functionCall: { name: 'read', args: { a: 1 } }, thoughtSignature: 'Y2FsbA==' },
          { functionCall: { id: 'f2', name: 'write', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read', response: { error: 'r' } } },
          { functionResponse: { id: 'f2', name: 'write', response: { error: 'r' } } },
        ],
      },
    ]);
  });

  test('RP3: the first call of another model gets the signature that stands for any', () => {
    const answer: AssistantMessage = {
      role: 'assistant',
      id: 'a',
      content: ['c1', 'c2'].map((callId) => ({
        type: 'tool-call',
        callId,
        name: 'read',
        input: 'no object',
      })),
      model: { provider: 'anthropic', id: 'claude-opus-5-5' },
      stopReason: 'tool-calls',
    };
    const call = { functionCall: { name: 'read', args: { INVALID_JSON: 'no object' } } };
    expect(bodyOf(ask('', { messages: [answer] })).contents).toEqual([
      {
        role: 'model',
        parts: [{ ...call, thoughtSignature: 'context_engineering_is_the_way_to_go' }, call],
      },
    ]);
  });

  test('RP2: what was read from the cache is no fresh input, and thoughts are output', async () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 5,
    };
    const { finished } = await answerTo([{ ...chunk([{ text: 'a' }], 'STOP'), usageMetadata }]);
    expect(finished.usage).toEqual({
      inputTokens: 40,
      cacheReadTokens: 60,
      cacheWriteTokens: undefined,
      outputTokens: 12,
      costUsd: undefined,
    });
  });

  test.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'max-tokens'],
    ['SAFETY', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
  ])('RP2: finish reason %s is %s', async (reason, stopReason) => {
    expect((await answerTo([chunk([{ text: 'a' }], reason)])).message.stopReason).toBe(stopReason);
  });

  test('RP2: a prompt that was blocked is refused', async () => {
    await expect(answerTo([{ promptFeedback: { blockReason: 'SAFETY' } }])).rejects.toMatchObject({
      code: 'PROVIDER_REFUSED',
    });
  });

  test('R1: the pause that an error asks for is waited for', async () => {
    let calls = 0;
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }];
    await using upstream = await listen((_, response) => {
      calls += 1;
      if (calls > 1) response.end(`data: ${JSON.stringify(chunk([{ text: 'a' }], 'STOP'))}\n\n`);
      else {
        response
          .writeHead(429, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED', details } }),
          );
      }
    });
    const { waits, options } = noteWaits();
    await answerOf(model(upstream.url, options), ask('hello'));
    expect(waits).toEqual([1_500]);
  });

  test.each([
    ['gemini-3.8-flash', 'off', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.8-pro', 'off', { thinkingLevel: 'LOW' }],
    ['gemini-3.8-pro', 'high', { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['gemini-2.5-flash-lite', 'off', { thinkingBudget: 0 }],
    ['gemini-2.5-pro', 'off', { thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'low', { thinkingBudget: 4_096, includeThoughts: true }],
  ] as const)('RP1: %s with reasoning %s is asked as it takes it', (id, reasoning, expected) => {
    expect(bodyOf(ask('x', { reasoning }), id).config.thinkingConfig).toEqual(expected);
    expect(bodyOf(ask('x'), id).config).not.toHaveProperty('thinkingConfig');
  });

  test('RP1: tools and the form of an answer are told in JSON Schema', () => {
    const structuredOutput = { name: 'a', schema: { type: 'object', properties: {} } };
    expect(bodyOf(ask('x', { tools: [tool('read')], structuredOutput, system: 'Be brief.' })).config).toEqual(
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [
          {
            functionDeclarations: [
              {
                name: 'read',
                description: 'The tool read.',
                parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
              },
            ],
          },
        ],
        responseMimeType: 'application/json',
        responseJsonSchema: structuredOutput.schema,
      },
    );
  });
});
