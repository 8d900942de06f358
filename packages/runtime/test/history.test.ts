import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { Message } from '@quartermaster/agent/messages';
import { createStage, keyOf, outline, script } from './harness.ts';
import { appendItems, answerBody, userBody } from './log.ts';

describe('the history of a log', () => {
  test('case 71: a call whose process was killed has its result right after it, in the middle of a conversation too', async () => {
    await using stage = await createStage();
    await appendItems(stage.store, [
      userBody('one'),
      answerBody('call', ['x']),
      userBody('continue'),
      answerBody('some text'),
      userBody('again'),
    ]);
    const messages = await stage.sessions.messages(keyOf());
    expect(outline(messages)).toEqual([
      'user "one"',
      'assistant "call" x(x)',
      'tool x:not-started',
      'user "continue"',
      'assistant "some text"',
      'user "again"',
    ]);
    const runtime = await stage.start();
    expect((await runtime.play(script({ text: 'fine' }))).result).toMatchObject({
      status: 'completed',
      text: 'fine',
    });
  });

  test('L8: a call that began and has no result says that its effects are unknown', async () => {
    await using stage = await createStage();
    const hold = await appendItems(stage.store, [userBody('one'), answerBody('calls', ['x', 'y', 'z'])], {
      isHeld: true,
    });
    await hold.startCall(1, 0);
    await hold.endCall(1, 0);
    await hold.startCall(1, 1);
    await hold.release();
    const [, , results] = await stage.sessions.messages(keyOf());
    expect(outline(results === undefined ? [] : [results])).toEqual([
      'tool x:completed y:interrupted z:not-started',
    ]);
  });

  test('L8: a result that can not be read is one that is lost', async () => {
    await using stage = await createStage();
    const hold = await appendItems(stage.store, [userBody('one'), answerBody('call', ['x'])], {
      isHeld: true,
    });
    await hold.endCall(1, 0, { isDamaged: true });
    await hold.release();
    expect(outline(await stage.sessions.messages(keyOf())).at(-1)).toBe('tool x:interrupted');
  });

  test('L8, case 71: whatever was cut, each call has one result right after it, nothing is dropped, and the bytes stay', async () => {
    await using stage = await createStage();
    let sessions = 0;
    const step = fc.oneof(
      fc.record({ type: fc.constant('user' as const), text: fc.string() }),
      fc.record({
        type: fc.constant('answer' as const),
        calls: fc.array(fc.constantFrom('none', 'begun', 'ended'), { maxLength: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const session = `ses-${(sessions += 1)}`;
        const hold = await appendItems(
          stage.store,
          steps.map((each, index) =>
            each.type === 'user'
              ? userBody(each.text)
              : answerBody(
                  `answer ${index}`,
                  each.calls.map((_, call) => `call-${index}-${call}`),
                ),
          ),
          { session, isHeld: true },
        );
        for (const [index, each] of steps.entries()) {
          for (const [call, state] of (each.type === 'answer' ? each.calls : []).entries()) {
            if (state !== 'none') await hold.startCall(index, call);
            if (state === 'ended') await hold.endCall(index, call);
          }
        }
        await hold.release();
        const messages = await stage.sessions.messages(keyOf(session));
        expect(messages.filter(({ role }) => role !== 'tool')).toHaveLength(steps.length);
        checkPairs(messages);
        expect(JSON.stringify(await stage.sessions.messages(keyOf(session)))).toBe(JSON.stringify(messages));
      }),
      { seed: inject('seed'), numRuns: 40 },
    );
  });

  test('case 75: an item that can not be read is told of, and hides nothing else', async () => {
    await using stage = await createStage();
    await appendItems(stage.store, [userBody('one'), 'no JSON', answerBody('two')]);
    const runtime = await stage.start();
    const { events, result } = await runtime.play('three');
    expect(result.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'error')).toMatchObject([
      { code: 'RUNTIME_ITEM_UNREADABLE', recoverable: true },
    ]);
    expect(outline(await stage.sessions.messages(keyOf()))).toEqual([
      'user "one"',
      'assistant "two"',
      'user "three"',
      'assistant "ok"',
    ]);
    expect((await stage.sessions.transcript(keyOf())).unreadable).toHaveLength(1);
  });
});

/** Each answer with calls is followed by their results in their order, and no other message has any. */
function checkPairs(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls =
      before?.role === 'assistant'
        ? before.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
        : [];
    const results = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    expect(results).toEqual(calls);
  }
}
