import type { Part } from '@google/genai';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { declaration, geminiOf } from './gemini-harness.ts';
import { startSimulator } from './harness.ts';
import type { Loose } from './harness.ts';
import { chatTool, functionTool, openaiOf } from './openai-harness.ts';
import type { ScriptStep } from '@quartermaster/simulator';

const seed = inject('seed');
const text = fc.string({
  unit: fc.constantFrom('a', 'ä', '🙂', ' ', '"', '\\', '\n'),
  minLength: 1,
  maxLength: 60,
});
const json = fc.dictionary(fc.constantFrom('a', 'b', 'ü'), fc.oneof(text, fc.integer(), fc.boolean()));

/** Any answer: a thought, a text and calls, each there or not, cut short or refused or neither. */
const steps: fc.Arbitrary<ScriptStep> = fc.record(
  {
    thinking: text,
    text,
    tools: fc.array(fc.record({ tool: fc.constantFrom('read', 'write', 'absent'), input: json }), {
      maxLength: 3,
    }),
    stop: fc.constantFrom('end_turn', 'max_tokens', 'refusal'),
  },
  { requiredKeys: [] },
);
const chunkings = fc.constantFrom('records', 'bytes', 'split-utf8', 'one');

/** `value` as JSON has it, without ids and times, which differ from answer to answer. */
function alike(value: unknown): Loose {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      ['id', 'call_id', 'item_id', 'responseId', 'parsed', 'parsed_arguments'].includes(key)
        ? undefined
        : member,
    ),
  );
}

describe("for any answer, what the vendor's SDK puts together from a stream is what comes whole", () => {
  test('Responses', async () => {
    let step: ScriptStep = {};
    await using running = await startSimulator({ script: () => step });
    const client = openaiOf(running);
    const body = {
      model: 'gpt-5.6-sol',
      input: 'x',
      store: false,
      tools: [functionTool('read'), functionTool('write')],
      reasoning: { summary: 'auto' as const },
      include: ['reasoning.encrypted_content' as const],
    };
    await fc.assert(
      fc.asyncProperty(steps, chunkings, async (next, chunking) => {
        step = next;
        const whole = await client.responses.create(body);
        const headers = { 'x-simulator-chunking': chunking };
        const streamed = await client.responses.stream(body, { headers }).finalResponse();
        const { output_parsed: _, ...rest } = streamed;
        expect(alike(rest)).toEqual(alike(whole));
      }),
      { seed, numRuns: 30 },
    );
  });

  test('Chat', async () => {
    let step: ScriptStep = {};
    await using running = await startSimulator({ script: () => step });
    const client = openaiOf(running);
    const body = {
      model: 'gpt-5.5',
      messages: [{ role: 'user' as const, content: 'x' }],
      tools: [chatTool('read'), chatTool('write')],
    };
    await fc.assert(
      fc.asyncProperty(steps, chunkings, async (next, chunking) => {
        // The SDK turns an answer that was cut short into an error of its own.
        step = next.stop === 'max_tokens' ? { ...next, stop: 'end_turn' } : next;
        const whole = await client.chat.completions.create(body);
        const headers = { 'x-simulator-chunking': chunking };
        const options = { ...body, stream_options: { include_usage: true } };
        const streamed = await client.chat.completions.stream(options, { headers }).finalChatCompletion();
        const message = (completion: Loose): Loose => ({ ...completion.choices[0].message, annotations: [] });
        expect(alike(message(streamed))).toEqual(alike(message(whole)));
        expect(streamed.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason);
        expect(streamed.usage).toEqual(whole.usage);
      }),
      { seed, numRuns: 30 },
    );
  });

  test('Gemini', async () => {
    let step: ScriptStep = {};
    await using running = await startSimulator({ script: () => step });
    const client = geminiOf(running);
    const request = (chunking: string): Loose => ({
      model: 'gemini-3.8-flash',
      contents: 'x',
      config: {
        tools: [{ functionDeclarations: [declaration('read'), declaration('write')] }],
        thinkingConfig: { includeThoughts: true },
        httpOptions: { headers: { 'x-simulator-chunking': chunking } },
      },
    });
    await fc.assert(
      fc.asyncProperty(steps, chunkings, async (next, chunking) => {
        step = next;
        const whole = await client.models.generateContent(request('records'));
        const parts: Part[] = [];
        let last: Loose;
        for await (const chunk of await client.models.generateContentStream(request(chunking))) {
          parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
          last = chunk;
        }
        expect(alike(joined(parts))).toEqual(alike(joined(whole.candidates?.[0]?.content?.parts ?? [])));
        expect(last.candidates[0].finishReason).toBe(whole.candidates?.[0]?.finishReason);
        expect(last.usageMetadata).toEqual(whole.usageMetadata);
      }),
      { seed, numRuns: 30 },
    );
  });
});

/** What parts say, however they are cut: the SDK itself leaves them as they came. */
function joined(parts: readonly Part[]): Loose {
  const textOf = (isThought: boolean): string =>
    parts.flatMap((part) => ((part.thought === true) === isThought ? (part.text ?? []) : [])).join('');
  return {
    thought: textOf(true),
    text: textOf(false),
    calls: parts.flatMap(({ functionCall, thoughtSignature }) =>
      functionCall === undefined ? [] : [{ functionCall, thoughtSignature }],
    ),
    signatures: parts.flatMap((part) => part.thoughtSignature ?? []),
  };
}
