import { describe, expect, test } from 'vitest';
import { judge } from './matrix/cell.ts';
import type { ClientDriver } from './matrix/driver.ts';
import type { Evidence } from './matrix/stage.ts';
import { compaction, deferredTool, plainTurn, stories } from './matrix/stories.ts';
import type { Story } from './matrix/stories.ts';
import type { UpstreamRequest } from './upstream.ts';

const driver: ClientDriver = {
  title: 'a program',
  packages: [],
  clientId: 'anthropic-sdk',
  setUp: async () => {},
  ask: async () => ({ exitCode: 0, stdout: '', stderr: '', session: undefined }),
  shell: (command) => ({ tool: 'run_shell', input: { command } }),
  seldom: [
    { tool: 'seldom', input: {} },
    { tool: 'rare', input: {} },
  ],
  subAgent: { why: 'none' },
  compact: { why: 'none' },
};

const headers = {
  'user-agent': 'Anthropic/JS 1.14.0',
  'x-stainless-lang': 'js',
  'x-stainless-package-version': '1',
};

const printed =
  '{"type":"text","text":"in /tmp/qm-matrix-aaaaaa/plain, 12 ms, toolu_0123456789abcdef","usage":{"n":1}}\nok';
const sent = JSON.stringify({
  messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'toolu_0123456789abcdef', input: {} }] }],
});

describe('two runs of a story', () => {
  test('are alike where ids, times, usage and places differ', () => {
    const other = evidence({
      room: { ...room, workFolder: '/tmp/qm-matrix-bbbbbb/plain', home: '/tmp/qm-matrix-bbbbbb/home' },
      turns: [
        turn(
          '{"type":"text","text":"in /tmp/qm-matrix-bbbbbb/plain, 900 ms, toolu_fedcba9876543210","usage":{"n":2}}\nok',
        ),
      ],
      sent: [sent.replace('toolu_0123456789abcdef', 'toolu_fedcba9876543210')],
    });
    expect(judge({ driver, story: plainTurn }, evidence({}), other)).toEqual({ type: 'same', deferred: 0 });
  });

  test.each([
    ['an exit code', { turns: [{ ...turn(printed), exitCode: 1 }] }, /exitCodes\.0/],
    ['a word that was printed', { turns: [turn(printed.replace('ok', 'no'))] }, /output\.0\.1/],
    ['a field that was printed', { turns: [turn(printed.replace('"text"', '"thought"'))] }, /output\.0\.0/],
    ['a file', { files: { 'a.txt': 'x' } }, /files\.a\.txt/],
    ['the conversation', { sent: [sent.replace('"input":{}', '"input":{"a":1}')] }, /requests\.0\.messages/],
    ['the number of requests', { sent: [sent, sent] }, /requests\.1/],
    ['a refusal', { received: [request({ status: 400, error })] }, /the provider refuses: 400 no tool N/],
    ['a dropped thought', { received: [request({ brokenBinding: true })] }, /a prefix that moved/],
    [
      'a prefix',
      { received: [request({}), request({ renderedPrefixHashes: ['x', 'b'] })] },
      /the prefix moved at request 1/,
    ],
  ] as const)('differ by %s', (_, change, where) => {
    const direct = evidence({
      received: [request({}), request({ renderedPrefixHashes: ['a', 'b'] })].slice(
        0,
        'received' in change ? change.received.length : 1,
      ),
    });
    const cell = judge({ driver, story: plainTurn }, direct, evidence(change));
    expect(cell).toEqual({ type: 'differs', differences: [expect.stringMatching(where)] });
  });

  test('Q2: differ where the search that found a tool is gone from the transcript', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'seldom', input: {} };
    const result = {
      type: 'tool_search_tool_result',
      content: { tool_references: [{ tool_name: 'seldom' }] },
    };
    const withBlocks = (...content: object[]) =>
      evidence({
        received: [
          request({
            toolsDeferred: ['seldom'],
            raw: JSON.stringify({ messages: [{ role: 'assistant', content }] }),
          }),
        ],
      });
    const judged = (through: Evidence) => judge({ driver, story: plainTurn }, evidence({}), through);
    expect(judged(withBlocks(result, call))).toMatchObject({ type: 'same' });
    expect(judged(withBlocks(call, result))).toEqual({
      type: 'differs',
      differences: ['no search for seldom stands before its call in request 0'],
    });
  });

  test('prove nothing where the gateway deferred nothing', () => {
    const written = { files: { 'story.txt': 'line\n' } };
    const through = evidence({ ...written, nothingReasons: { unchecked: 1 } });
    expect(judge({ driver, story: deferredTool }, evidence(written), through)).toEqual({
      type: 'differs',
      differences: ['nothing was deferred: {"unchecked":1}'],
    });
  });

  test('prove nothing where both fail alike', () => {
    const failed = evidence({ turns: [{ ...turn(printed), exitCode: 1 }] });
    expect(judge({ driver, story: plainTurn }, failed, failed)).toEqual({
      type: 'differs',
      differences: ['without the gateway the client failed'],
    });
  });

  test('of a client that another is taken for are not alike', () => {
    const unknown = evidence({ headers: [{}] });
    expect(judge({ driver, story: plainTurn }, unknown, unknown)).toEqual({
      type: 'differs',
      differences: ['the client table takes it for unknown'],
    });
  });

  test('differ where the client table is wrong about a fault', () => {
    const fault = storyNamed('429');
    const gaveUp = evidence({
      received: [request({}), request({ status: 429, error: fakeError })],
      turns: [turn(printed)],
    });
    const cell = judge({ driver, story: { ...fault, needsDeferral: false } }, gaveUp, gaveUp);
    expect(cell).toEqual({ type: 'differs', differences: ['the client table says that it asks again'] });
  });

  test('may differ as a rule demands, and no further', () => {
    const story: Story = { ...compaction, lines: 0, needsDeferral: false, explain: () => explanation };
    const through = evidence({ sent: [sent, sent] });
    expect(judge({ driver, story }, evidence({}), through)).toMatchObject({ type: 'explained', why: 'so' });
    const further = evidence({ sent: [sent, sent], files: { a: 'x' } });
    expect(judge({ driver, story }, evidence({}), further)).toMatchObject({ type: 'differs' });
  });
});

const explanation = { of: /^differs at requests/, why: 'so' };
const error = { type: 'invalid_request_error', message: 'no tool 7' };
const fakeError = { type: 'simulator_fault', message: 'injected status' };
const room = {
  install: { folder: '/install', bin: (name: string) => name },
  home: '/tmp/qm-matrix-aaaaaa/home',
  workFolder: '/tmp/qm-matrix-aaaaaa/plain',
  baseUrl: 'http://127.0.0.1:1',
};

function evidence(change: Partial<Evidence>): Evidence {
  return {
    room,
    turns: [turn(printed)],
    files: {},
    headers: [headers],
    sent: [sent],
    received: [request({})],
    nothingReasons: undefined,
    ...change,
  };
}

function turn(stdout: string) {
  return { exitCode: 0, stdout, stderr: '', session: undefined };
}

function request(change: Partial<UpstreamRequest>): UpstreamRequest {
  return {
    status: 200,
    error: null,
    brokenBinding: false,
    renderedPrefixHashes: ['a'],
    toolsDeferred: [],
    raw: '{"messages":[]}',
    ...change,
  } as UpstreamRequest;
}

function storyNamed(title: string): Story {
  const story = stories.find((one) => one.title === title);
  if (story === undefined) throw new Error(`There is no story ${title}.`);
  return story;
}
