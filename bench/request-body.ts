/** A coding agent's session as the wire shows it: its first request, and later ones that differ in their last message. */
export interface SessionRequests {
  readonly session: string;
  readonly opening: Buffer;
  /** Of about `turnBytes` each. */
  readonly turns: readonly Buffer[];
}

export interface RequestShape {
  readonly session: string;
  readonly turns: number;
  readonly turnBytes: number;
  readonly isStreaming: boolean;
}

/** What the gateway's catalog knows as a model with tool search. */
export const model = 'claude-opus-5-5';

const operations = ['list', 'read', 'create', 'change', 'remove', 'search', 'share', 'report'];

/** Declared by every request: 16 of the agent's own, 32 of four servers. */
export const toolNames: readonly string[] = [
  ...namesOf(['Read', 'Write', 'Edit', 'Find'], ['File', 'Folder', 'Notes', 'Page']),
  ...namesOf(['mcp__tickets__', 'mcp__calendar__', 'mcp__metrics__', 'mcp__warehouse__'], operations),
];

/** The tools that the sessions of the bench's history called; all others are seldom used. */
export const usedTools: readonly string[] = toolNames.slice(0, 6);

function namesOf(beginnings: readonly string[], ends: readonly string[]): readonly string[] {
  return beginnings.flatMap((beginning) => ends.map((end) => beginning + end));
}

const messagesPerTurn = 21;

/** Requests in the shape that coding agents send: 48 tools, a system prompt with marks, 21 messages. */
export function sessionRequests({ session, turns, turnBytes, isStreaming }: RequestShape): SessionRequests {
  const frame = { model, max_tokens: 8_192, stream: isStreaming, ...promptFrame() };
  const body = (messages: readonly object[]): Buffer => Buffer.from(JSON.stringify({ ...frame, messages }));
  const request = `Please look into ${session}. ${prose(600, 7)}`;
  const opening = { role: 'user', content: [text(environment), text(request)] };
  const openingBody = body([opening]);
  const exchangeBytes = Math.max(0, turnBytes - openingBody.length);
  const exchanges = conversation(exchangeBytes / (messagesPerTurn - 1));
  return {
    session,
    opening: openingBody,
    turns: Array.from({ length: turns }, (_, turn) => body([opening, ...exchanges, closing(turn)])),
  };
}

/** Where the gateway reads a project from. */
const environment =
  'What is known here:\n - Primary working directory: /home/you/project\n - Platform: linux\n';

/** Messages 2 to 20: a call of a tool and its result, over and over, and one answer in words. */
function conversation(messageBytes: number): readonly object[] {
  const calls = Array.from({ length: (messagesPerTurn - 3) / 2 }, (_, index) => {
    const id = `toolu_bench_${index}`;
    const input = { path: `src/part-${index}.ts`, reason: prose(messageBytes / 4, index) };
    const call = { type: 'tool_use', id, name: usedTools[index % usedTools.length], input };
    const found = {
      type: 'tool_result',
      tool_use_id: id,
      content: [text(sourceCode(messageBytes * 1.6, index))],
    };
    return [
      { role: 'assistant', content: [text(prose(80, index)), call] },
      { role: 'user', content: [found] },
    ];
  });
  return [...calls.flat(), { role: 'assistant', content: [text(prose(messageBytes, 99))] }];
}

function closing(turn: number): object {
  return { role: 'user', content: [{ ...text(`Go on with step ${turn}. ${prose(300, turn)}`), ...mark }] };
}

const mark = { cache_control: { type: 'ephemeral' } };

/** What every request of an agent repeats. */
function promptFrame(): object {
  return {
    system: [
      text(`You are a careful assistant for programmers. ${prose(400, 1)}`),
      { ...text(prose(13_000, 2)), ...mark },
    ],
    tools: toolNames.map(declare),
  };
}

function declare(name: string, index: number): object {
  const describe = (type: string, seed: number): object => ({ type, description: prose(90, index + seed) });
  return {
    name,
    description: prose(620, index),
    input_schema: {
      type: 'object',
      properties: {
        path: describe('string', 1),
        query: describe('string', 2),
        limit: describe('integer', 3),
      },
      required: ['path'],
      additionalProperties: false,
    },
    ...(index === toolNames.length - 1 ? mark : {}),
  };
}

function text(words: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: words };
}

const vocabulary =
  'the a file project when before after result value change keep small named caller error always order check write read "quoted" path\n'.split(
    ' ',
  );

/** Words in an order that depends on `seed` alone, with the escapes that prose brings. */
function prose(bytes: number, seed: number): string {
  return spelled(bytes, seed, vocabulary);
}

const symbols = [
  'const',
  'value',
  '=',
  'find(',
  '"key\\n"',
  ');\n',
  '  return',
  '{ ok: true }',
  '// why',
  'tab\t',
];

function sourceCode(bytes: number, seed: number): string {
  return spelled(bytes, seed, symbols);
}

function spelled(bytes: number, seed: number, words: readonly string[]): string {
  let spelling = '';
  for (let state = seed + 1; spelling.length < bytes; state = (state * 48_271) % 2_147_483_647) {
    spelling += `${words[state % words.length]} `;
  }
  return spelling;
}
