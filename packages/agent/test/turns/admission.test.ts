import { describe, expect, test } from 'vitest';
import { explore } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, said } from './scripted-backend.ts';

describe('L1: one turn at a time', () => {
  test('L1: turns run in the order of the calls, whatever order their steps go on in', async () => {
    const traces = await explore(async (stage) => {
      const script = createScriptedBackend({
        start: () => stage.gate('start'),
        turn: async function* (request) {
          await stage.gate(`${request.text} begins`);
          yield* completedTurn(request);
          await stage.gate(`${request.text} ends`);
        },
      });
      const manager = createTestManager(script);
      const texts = ['one', 'two', 'three'];
      const results = await Promise.all(texts.map((text) => manager.process(said(text))));
      expect(results.map(({ text }) => text)).toEqual(texts);
      expect(script.log.filter((line) => line.startsWith('turn'))).toEqual([
        'turn one on 1',
        'turn two on 1',
        'turn three on 1',
      ]);
      expect(script.breaches).toEqual([]);
    });
    expect(traces).toHaveLength(1);
  });

  test('L1: a hundred calls at once keep their order', async () => {
    const script = createScriptedBackend();
    const manager = createTestManager(script);
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => manager.process(said(text))));
    const turns = script.log.filter((line) => line.startsWith('turn'));
    expect(turns).toEqual(texts.map((text) => `turn ${text} on 1`));
  });
});
