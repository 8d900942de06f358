import { ApiError, FunctionCallingConfigMode } from '@google/genai';
import type { Content, GenerateContentResponse } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { declaration, geminiOf, sendGemini } from './gemini-harness.ts';
import { followedBy, script, startSimulator } from './harness.ts';
import type { Loose, Running } from './harness.ts';

const model = 'gemini-3.8-flash';
const tools = [{ functionDeclarations: [declaration('read'), declaration('write')] }];
const slow = { httpOptions: { headers: { 'x-simulator-chunking': 'slow' } } };

async function collect(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("Google's SDK", () => {
  test('plain: text and usage come as its types say', async () => {
    await using running = await startSimulator();
    const response = await geminiOf(running).models.generateContent({ model, contents: 'hello' });
    expect([response.text, response.candidates?.[0]?.finishReason]).toEqual(['ok', 'STOP']);
    expect(response.usageMetadata).toEqual(running.last().usage);
    expect(running.last()).toMatchObject({
      path: `/v1/models/${model}:generateContent`,
      status: 200,
      model,
      stream: false,
      cost: null,
    });
  });

  test('a streamed turn with a thought, a text and two calls at once, then the answer to their results', async () => {
    await using running = await startSimulator();
    const client = geminiOf(running);
    const step = {
      thinking: 'I should read both.',
      text: 'I read.',
      tools: [{ tool: 'read', input: { a: 'ä' } }, { tool: 'write' }],
    };
    const config = { tools, thinkingConfig: { includeThoughts: true }, systemInstruction: 'Be brief.' };
    const contents: Content[] = [{ role: 'user', parts: [{ text: script(step, { text: 'done' }) }] }];
    const chunks = await collect(await client.models.generateContentStream({ model, contents, config }));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const textOf = (isThought: boolean): string =>
      parts.flatMap((part) => (Boolean(part.thought) === isThought ? (part.text ?? []) : [])).join('');
    expect([textOf(true), textOf(false)]).toEqual(['I should read both.', 'I read.']);
    const calls = parts.filter((part) => part.functionCall !== undefined);
    expect(calls.map((part) => [part.functionCall?.name, part.functionCall?.args])).toEqual([
      ['read', { a: 'ä' }],
      ['write', {}],
    ]);
    expect(calls.map((part) => typeof part.thoughtSignature)).toEqual(['string', 'undefined']);
    expect(chunks.at(-1)?.usageMetadata).toEqual(running.last().usage);
    expect(running.last().usage).toMatchObject({ thoughtsTokenCount: 5 });
    const results = calls.map(({ functionCall }) => ({
      functionResponse: { ...functionCall, args: undefined, response: { output: 'r' } },
    }));
    const second = await client.models.generateContent({
      model,
      config,
      contents: [...contents, { role: 'model', parts }, { role: 'user', parts: results }],
    });
    expect(second.text).toBe('done');
  });

  test('a chat keeps its own history, streamed and whole', async () => {
    await using running = await startSimulator();
    const chat = geminiOf(running).chats.create({ model });
    await collect(await chat.sendMessageStream({ message: script({ text: 'one' }, { text: 'two' }) }));
    expect((await chat.sendMessage({ message: 'go on' })).text).toBe('two');
  });

  test('errors arrive as its own class, with the status and the reason', async () => {
    await using running = await startSimulator();
    const ask = (changes: Loose, key?: string): Promise<unknown> =>
      geminiOf(running, key).models.generateContent({ model, contents: 'x', ...changes });
    const fault = (text: string): Loose => ({
      config: { httpOptions: { headers: { 'x-simulator-fault': text } } },
    });
    await expect(ask({ model: 'gemini-none' })).rejects.toBeInstanceOf(ApiError);
    await expect(ask({ model: 'gemini-none' })).rejects.toMatchObject({ status: 404 });
    await expect(ask({}, 'AIza-wrong')).rejects.toThrow('API_KEY_INVALID');
    await expect(ask(fault('429;retry-after=3'))).rejects.toThrow('RESOURCE_EXHAUSTED');
    await expect(ask(fault('500'))).rejects.toMatchObject({ status: 500 });
    await expect(ask(fault('503'))).rejects.toThrow('UNAVAILABLE');
  });

  test('countTokens says what a request is billed for', async () => {
    await using running = await startSimulator();
    const client = geminiOf(running);
    const contents = 'a text of some length';
    const { totalTokens } = await client.models.countTokens({ model, contents });
    const { usageMetadata } = await client.models.generateContent({ model, contents });
    expect(totalTokens).toBe(usageMetadata?.promptTokenCount);
  });

  test('a stream that the client gives up ends, and the next request is answered', async () => {
    await using running = await startSimulator();
    const client = geminiOf(running);
    const over = new AbortController();
    const stream = await client.models.generateContentStream({
      model,
      contents: script({ text: 'word '.repeat(2_000) }),
      config: { ...slow, abortSignal: over.signal },
    });
    const reading = (async () => {
      for await (const chunk of stream) if (chunk.text !== undefined) over.abort();
    })();
    await expect(reading).rejects.toBeInstanceOf(Error);
    expect((await client.models.generateContent({ model, contents: 'x' })).text).toBe('ok');
  });
});

describe('a fault in a stream', () => {
  const read = async (running: Running, step: Loose): Promise<Loose> => {
    const reasons: unknown[] = [];
    try {
      const stream = await geminiOf(running).models.generateContentStream({
        model,
        contents: script(step),
        config: slow,
      });
      for await (const chunk of stream) reasons.push(chunk.candidates?.[0]?.finishReason);
      return { reasons, error: undefined };
    } catch (error) {
      return { reasons, error };
    }
  };
  const text = { text: 'a text of some length' };

  test('drop breaks the connection, errevent is an error of the SDK, fin and nostop end early', async () => {
    await using running = await startSimulator();
    expect((await read(running, followedBy({ fault: 'drop' }, text))).error).toBeInstanceOf(Error);
    const failed = await read(running, followedBy({ fault: 'errevent' }, text));
    expect(failed.error).toBeInstanceOf(ApiError);
    expect(failed.error).toMatchObject({ status: 503 });
    for (const fault of ['fin', 'nostop']) {
      const { reasons, error } = await read(running, followedBy({ fault }, text));
      expect([reasons.includes('STOP'), error]).toEqual([false, undefined]);
    }
  });

  test.each([
    ['max_tokens', 'MAX_TOKENS'],
    ['refusal', 'SAFETY'],
    ['MALFORMED_FUNCTION_CALL', 'MALFORMED_FUNCTION_CALL'],
  ])('stop %s is the finishReason %s', async (stop, reason) => {
    await using running = await startSimulator();
    expect((await read(running, { ...text, stop })).reasons.at(-1)).toBe(reason);
  });

  test('without alt=sse it is one array', async () => {
    await using running = await startSimulator();
    const contents = [{ parts: [{ text: script(text) }] }];
    const { json } = await sendGemini(running, `${model}:streamGenerateContent`, { contents });
    const said = json.flatMap((chunk: Loose) => chunk.candidates[0].content.parts);
    expect(said.map((part: Loose) => part.text).join('')).toBe(text.text);
  });
});

describe('what the model says', () => {
  test('a plain instruction is obeyed; the mode forces, forbids and restricts', async () => {
    await using running = await startSimulator();
    const { NONE, ANY } = FunctionCallingConfigMode;
    const ask = async (contents: string, functionCallingConfig: Loose = {}): Promise<Loose> => {
      const config = { tools, toolConfig: { functionCallingConfig } };
      const response = await geminiOf(running).models.generateContent({ model, contents, config });
      return response.functionCalls?.map((call) => call.name) ?? response.text;
    };
    expect(await ask('Please call read.')).toEqual(['read']);
    expect(await ask('x', { mode: ANY })).toEqual(['read']);
    expect(await ask('x', { mode: ANY, allowedFunctionNames: ['write'] })).toEqual(['write']);
    const both = script({ tools: [{ tool: 'read' }, { tool: 'write' }] });
    expect(await ask(both)).toEqual(['read', 'write']);
    expect(await ask(both, { mode: NONE })).toBe('ok');
  });

  test('thoughts are billed, and shown only where they are asked for', async () => {
    await using running = await startSimulator();
    const contents = [{ parts: [{ text: script({ thinking: 'a long thought', text: 'hi' }) }] }];
    const { json } = await sendGemini(running, `${model}:generateContent`, { contents });
    expect(json.usageMetadata.thoughtsTokenCount).toBe(4);
    expect(json.candidates[0].content.parts.map((part: Loose) => part.text)).toEqual(['hi']);
  });

  test('parts go out as the script wrote them', async () => {
    await using running = await startSimulator();
    const blocks = [{ text: 'hi' }, { functionCall: { name: 'read', args: {} } }];
    const contents = [{ parts: [{ text: script({ blocks }) }] }];
    const { json } = await sendGemini(running, `${model}:generateContent`, { contents });
    expect(json.candidates[0].content.parts).toMatchObject(blocks);
  });
});
