import type { Message } from '@quartermaster/agent/messages';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { expectGrowing } from './support/prefix.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import { answerOf, ask, results, script, startSimulator, tool, user } from './support/simulated.ts';

/** Every API, and Anthropic's with a second model that binds its thoughts. */
const choices = [
  ...simulatedVendors.map(({ modelAt }) => ({ modelAt, id: undefined })),
  ...simulatedVendors.slice(0, 1).map(({ modelAt }) => ({ modelAt, id: 'claude-sonnet-5-5' })),
];

const step = fc.record(
  {
    thinking: fc.constantFrom('I think.', 'ä "quoted" \\ thought'),
    text: fc.constantFrom('Words.', 'Wörter\nin lines'),
    tools: fc.array(
      fc.record({
        tool: fc.constantFrom('read', 'write', 'unknown'),
        input: fc.dictionary(fc.constantFrom('path', 'ü'), fc.oneof(fc.string(), fc.double({ noNaN: true }))),
        force: fc.constant(true),
      }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);
const turn = fc.record({
  model: fc.nat(choices.length - 1),
  step,
  outcome: fc.constantFrom('completed', 'denied'),
});

test(
  'RP3: whichever model answers which turn, each sees its own prefix grow, byte for byte, and takes it',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 8 }), async (turns) => {
        await using upstream = await startSimulator();
        const models = choices.map(({ modelAt, id }) => modelAt(upstream, id, { terms: { maxRetries: 0 } }));
        const bodies = models.map((): string[] => []);
        let messages: readonly Message[] = [user(script(...turns.map(({ step }) => step)))];
        for (const { model, outcome } of turns) {
          const request = ask('', { messages, tools: [tool('read'), tool('write')], reasoning: 'low' });
          const asked = models[model];
          if (asked === undefined) throw new Error('expected a model');
          const { message } = await answerOf(asked, request);
          bodies[model]?.push(upstream.bodies.at(-1) ?? '');
          const isCalling = message.content.some(({ type }) => type === 'tool-call');
          messages = [...messages, message, isCalling ? results(message, '', outcome) : user('go on')];
        }
        bodies.forEach(expectGrowing);
        expect(upstream.simulator.requests().filter(({ status }) => status !== 200)).toEqual([]);
        expect(upstream.simulator.requests().some(({ brokenBinding }) => brokenBinding)).toBe(false);
      }),
      { seed: inject('seed'), numRuns: 30 },
    );
  },
);
