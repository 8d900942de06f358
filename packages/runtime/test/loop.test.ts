import { describe, expect, test } from 'vitest';
import { createStage, eventsOf, keyOf, outline, script, toolOf, typesOf } from './harness.ts';

describe('the loop', () => {
  test('RL1: a turn shows what happens, in order, and ends with its result', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read', () => 'a text')] });
    const { events, result } = await runtime.play(
      script(
        { thinking: 'hm', text: 'I look.', tool: 'read', input: { path: 'a' } },
        { text: 'It says a text.' },
      ),
    );
    expect(typesOf(events)).toEqual([
      'turn-start',
      'reasoning-delta',
      'text-delta',
      'usage',
      'tool-call',
      'tool-result',
      'text-delta',
      'usage',
      'turn-end',
    ]);
    expect(result).toMatchObject({ status: 'completed', text: 'It says a text.' });
    expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({
      outcome: 'completed',
      text: 'a text',
    });
    expect(outline(await stage.sessions.messages(keyOf()))).toEqual([
      'user "@@"',
      expect.stringMatching(/^assistant .*read/),
      expect.stringMatching(/^tool .*:completed$/),
      'assistant "It says a text."',
    ]);
    const billed = stage.simulator.bill().totalUsd;
    expect(result.usage.costUsd).toBeCloseTo(billed, 12);
    expect((await stage.sessions.find(keyOf()))?.totals.costUsd).toBeCloseTo(billed, 12);
  });
});
