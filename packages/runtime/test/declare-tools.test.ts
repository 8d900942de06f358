import type { Message, ToolResult } from '@quartermaster/agent/messages';
import { expect, test } from 'vitest';
import { positionIn } from '../src/turn/declare-tools.ts';

const asked: Message = { role: 'user', id: 'u1', content: [{ type: 'text', text: 'go' }] };
const answered: Message = {
  role: 'assistant',
  id: 'a1',
  content: [],
  model: { provider: 'p', id: 'm' },
  stopReason: 'tool-calls',
};

function results(...outcomes: readonly ToolResult['outcome'][]): Message {
  return {
    role: 'tool',
    id: 't1',
    results: outcomes.map((outcome, index) => ({ callId: `c${index}`, name: 'x', outcome, text: '' })),
  };
}

const tail = { lateTools: 'tail' } as const;

test('D9: the last success is the last by its place among the results, whatever failed behind it', () => {
  const failures = [
    'failed',
    'denied',
    'invalid-input',
    'unknown-tool',
    'interrupted',
    'not-started',
  ] as const;
  for (const failure of failures) {
    const messages = [asked, answered, results('completed', 'completed', failure)];
    expect(positionIn(messages, tail).lastSuccess).toEqual({ callId: 'c1', isSent: false });
  }
});

test('D9: results of which none is a success are passed over', () => {
  const messages = [asked, answered, results('completed'), answered, results('failed')];
  expect(positionIn(messages, tail).lastSuccess).toEqual({ callId: 'c0', isSent: true });
  expect(positionIn([asked, answered, results('denied')], tail).lastSuccess).toBeUndefined();
});

test('D10: a result was sent when an answer stands behind it', () => {
  expect(positionIn([asked, answered, results('completed'), answered, asked], tail)).toEqual({
    lastSuccess: { callId: 'c0', isSent: true },
    last: 'u1',
    lateTools: 'tail',
  });
});
