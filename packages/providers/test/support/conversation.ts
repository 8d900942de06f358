import type {
  AssistantMessage,
  JsonValue,
  Message,
  ModelApi,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  UserMessage,
} from '@quartermaster/agent/messages';
import type { ModelRequest } from '@quartermaster/providers';
import * as fc from 'fast-check';

type Part = AssistantMessage['content'][number];

const outcomes: readonly ToolResult['outcome'][] = [
  'completed',
  'failed',
  'denied',
  'invalid-input',
  'unknown-tool',
  'interrupted',
  'not-started',
];

/** Words of any script, half characters and blanks included; no directive of the simulator's among them. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '\n', '\ud83d', 'plain words', '"quoted" \\ \u2028'),
);
const word = fc.stringMatching(/^[a-z_]{1,8}$/);
const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }).map((value) => value as JsonValue);

/** A conversation that is valid as one: calls have their results in the message after them, and ids are used once. */
export function requests(own: ModelApi): fc.Arbitrary<ModelRequest> {
  const others = (['anthropic-messages', 'openai-responses', 'openai-chat', 'google-gemini'] as const).filter(
    (api) => api !== own,
  );
  return fc.record(
    {
      system: text,
      messages: messages(fc.constantFrom(...others)),
      tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 3 }),
      temperature: fc.constantFrom(0, 0.5, 1),
      maxOutputTokens: fc.integer({ min: 1, max: 40_000 }),
      reasoning: fc.constantFrom('off', 'low', 'medium', 'high'),
      structuredOutput: fc.constant({
        name: 'an answer',
        schema: { type: 'object', properties: { a: { type: 'string' } } },
      }),
      cacheKey: fc.constant('session-1'),
    },
    { requiredKeys: ['system', 'messages', 'tools'] },
  );
}

const schema = fc.constantFrom<ModelRequest['tools'][number]['inputSchema']>(
  { type: 'object' },
  { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: {} },
  {
    anyOf: [
      { type: 'object', properties: { a: { type: 'number' } } },
      { type: 'object', properties: {} },
    ],
  },
  {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  },
);
const tool = fc.record({
  name: word,
  description: fc.constantFrom('Does it.', 'Tut es – ä.'),
  inputSchema: schema,
});

/** Data of other vendors only: this one's own would have to be signed. */
function providerData(apis: fc.Arbitrary<ModelApi>) {
  return fc.record({ api: apis, data: fc.record({ id: word, signature: word }) });
}

function parts(apis: fc.Arbitrary<ModelApi>): fc.Arbitrary<readonly Part[]> {
  const data = providerData(apis);
  const said = fc.record(
    { type: fc.constant('text' as const), text, providerData: data },
    { requiredKeys: ['type', 'text'] },
  );
  const thought = fc.record(
    { type: fc.constant('reasoning' as const), text, providerData: data },
    { requiredKeys: ['type', 'text'] },
  );
  const call = fc.record(
    {
      type: fc.constant('tool-call' as const),
      callId: fc.oneof(word, fc.string({ minLength: 1, maxLength: 80 })),
      name: fc.oneof(word, text),
      input: fc.oneof(json, fc.dictionary(word, json)),
      providerData: data,
    },
    { requiredKeys: ['type', 'callId', 'name', 'input'] },
  );
  return fc.array(fc.oneof(said, thought, call), { maxLength: 5 });
}

interface Turn {
  readonly said: readonly string[];
  readonly answer: readonly Part[];
  readonly outcome: ToolResult['outcome'];
  readonly result: string;
  readonly isOwn: boolean;
}

function messages(apis: fc.Arbitrary<ModelApi>): fc.Arbitrary<readonly Message[]> {
  const turn: fc.Arbitrary<Turn> = fc.record({
    said: fc.array(text, { maxLength: 3 }),
    answer: parts(apis),
    outcome: fc.constantFrom(...outcomes),
    result: text,
    isOwn: fc.boolean(),
  });
  return fc
    .tuple(fc.array(turn, { maxLength: 5 }), fc.array(text, { maxLength: 2 }))
    .map(([turns, last]) => [...turns.flatMap(toMessages), userOf(last, 'last')]);
}

/** A tool turn goes on without the user; after an answer without calls the user speaks again. */
function toMessages({ said, answer, outcome, result }: Turn, index: number): readonly Message[] {
  const content = answer.map((part, at) =>
    part.type === 'tool-call' ? { ...part, callId: `${index}.${at} ${part.callId}` } : part,
  );
  const calls = content.filter((part): part is ToolCallPart => part.type === 'tool-call');
  const results: ToolMessage = {
    role: 'tool',
    id: `t${index}`,
    results: calls.map(({ callId, name }) => ({ callId, name, outcome, text: result })),
  };
  const assistant: AssistantMessage = {
    role: 'assistant',
    id: `a${index}`,
    content,
    model: { provider: 'elsewhere', id: 'other' },
    stopReason: calls.length > 0 ? 'tool-calls' : 'end',
  };
  return [userOf(said, `u${index}`), assistant, ...(calls.length > 0 ? [results] : [])];
}

function userOf(said: readonly string[], id: string): UserMessage {
  return { role: 'user', id, content: said.map((text) => ({ type: 'text', text })) };
}
