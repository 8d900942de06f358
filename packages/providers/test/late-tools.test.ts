import type { AssistantMessage, Message } from '@quartermaster/agent/messages';
import type { LanguageModel, ToolDeclaration } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { expectGrowing } from './support/prefix.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import { answerOf, ask, results, script, startSimulator, tool, user } from './support/simulated.ts';
import type { Simulated } from './support/simulated.ts';

const [anthropic, responses, chat, gemini] = simulatedVendors;
const withPlaces = [anthropic, responses];
const withoutPlaces = [chat, gemini];

/** Grows a conversation, and with it the tools. */
function createTalk(model: LanguageModel) {
  let messages: readonly Message[] = [];
  let tools: readonly ToolDeclaration[] = [tool('read')];
  const say = async (message: Message): Promise<AssistantMessage> => {
    messages = [...messages, message];
    const { message: answer } = await answerOf(
      model,
      ask('', { messages, tools, mayGrow: true, reasoning: 'low' }),
    );
    messages = [...messages, answer];
    return answer;
  };
  const add = (...more: readonly ToolDeclaration[]): void => void (tools = [...tools, ...more]);
  return { say, add, last: () => messages.at(-1) };
}

function expectNoneRefused({ simulator }: Simulated): void {
  expect(simulator.requests().map(({ status, error }) => error ?? status)).toEqual(
    simulator.requests().map(() => 200),
  );
  expect(simulator.requests().some(({ brokenBinding }) => brokenBinding)).toBe(false);
}

function callIdOf({ content }: AssistantMessage): string {
  const call = content.find((part) => part.type === 'tool-call');
  if (call === undefined) throw new Error('the answer has no call');
  return call.callId;
}

const steps = script(
  { thinking: 'a', tool: 'read', input: { path: 'a' } },
  { thinking: 'b', tool: 'found', input: { path: 'b' } },
  { thinking: 'c', text: 'done' },
);

describe.each(withPlaces)('$api', ({ modelAt }) => {
  test('D2: a tool that enters with a result is callable, and no byte of what was sent before changes', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    const first = await talk.say(user(steps));
    talk.add({ ...tool('found'), entersAt: { type: 'call', callId: callIdOf(first) } });
    const second = await talk.say(results(first, 'the text of a'));
    expect(second.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'found' });
    await talk.say(results(second));
    await talk.say(user('and now?'));
    expectNoneRefused(upstream);
    expectGrowing(upstream.bodies.map(withoutDeferred));
    expect(upstream.bodies.at(-1)).toContain('the text of a');
  });

  test('D10: a tool that enters at the end of a message is callable, with every thought bound to what was sent', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    const first = await talk.say(user(script({ thinking: 'a', text: 'one' })));
    expect(first.content.at(-1)).toMatchObject({ text: 'one' });
    const question = user(
      script({ thinking: 'b', tool: 'found', input: { path: 'x' } }, { thinking: 'c', text: 'two' }),
    );
    talk.add({ ...tool('found'), entersAt: { type: 'message', messageId: question.id } });
    const second = await talk.say(question);
    expect(second.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'found' });
    await talk.say(results(second));
    await talk.say(user('and now?'));
    expectNoneRefused(upstream);
    expectGrowing(upstream.bodies.map(withoutDeferred));
  });

  test('a conversation that begins without any tool takes one later', async () => {
    await using upstream = await startSimulator();
    const model = modelAt(upstream);
    const question = user(script({ thinking: 'a', text: 'none yet' }));
    const opening = { mayGrow: true, reasoning: 'low' as const };
    const { message } = await answerOf(model, ask('', { messages: [question], ...opening }));
    const next = user(script({ thinking: 'b', tool: 'found', input: { path: 'x' } }));
    const { message: answer } = await answerOf(
      model,
      ask('', {
        messages: [question, message, next],
        tools: [{ ...tool('found'), entersAt: { type: 'message', messageId: next.id } }],
        ...opening,
      }),
    );
    expect(answer.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'found' });
    expectNoneRefused(upstream);
    expectGrowing(upstream.bodies.map(withoutDeferred));
  });

  test('several tools enter at several places, each where it came, whatever comes after', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    const first = await talk.say(
      user(
        script(
          {
            thinking: 'a',
            tools: [
              { tool: 'read', input: {} },
              { tool: 'read', input: {} },
            ],
          },
          { text: 'ok' },
        ),
      ),
    );
    talk.add(
      { ...tool('x'), entersAt: { type: 'call', callId: callIdOf(first) } },
      { ...tool('y'), entersAt: { type: 'call', callId: callIdOf(first) } },
    );
    await talk.say(results(first));
    const later = user(
      script(
        { thinking: 'b', tools: ['x', 'y', 'z'].map((name) => ({ tool: name, input: {} })) },
        { text: 'k' },
      ),
    );
    talk.add({ ...tool('z'), entersAt: { type: 'message', messageId: later.id } });
    const second = await talk.say(later);
    expect(second.content.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []))).toEqual([
      'x',
      'y',
      'z',
    ]);
    await talk.say(results(second));
    expectNoneRefused(upstream);
    expectGrowing(upstream.bodies.map(withoutDeferred));
  });

  test('a model that searches by itself is not told of what stands in for a search', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    talk.add({ ...tool('stand_in'), standsInForSearch: true }, { ...tool('zeta'), isSearchOnly: true });
    await talk.say(user('hello'));
    expectNoneRefused(upstream);
    expect(upstream.bodies[0]).not.toContain('stand_in');
    expect(upstream.bodies[0]).toContain('zeta');
  });

  test('a catalogue is searched by the model itself, and its bytes are the same when one of it was loaded', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    talk.add(...['zeta', 'alpha'].map((name) => ({ ...tool(name), isSearchOnly: true })));
    const first = await talk.say(
      user(script({ search: 'alpha', tool: 'alpha', input: {} }, { text: 'found' })),
    );
    expect(first.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'alpha' });
    talk.add({ ...tool('alpha'), entersAt: { type: 'call', callId: callIdOf(first) } });
    await talk.say(results(first));
    await talk.say(user('and now?'));
    expectNoneRefused(upstream);
    const lists = upstream.bodies.map((body) => JSON.stringify(JSON.parse(body).tools));
    expect(new Set(lists).size).toBe(1);
    expect(lists[0]?.indexOf('"alpha"')).toBeLessThan(lists[0]?.indexOf('"zeta"') ?? 0);
  });
});

describe.each(withoutPlaces)('$api', ({ modelAt }) => {
  test('late tools stand at the end of the list in the order in which they came, and a catalogue is not told of', async () => {
    await using upstream = await startSimulator();
    const talk = createTalk(modelAt(upstream));
    talk.add({ ...tool('hidden'), isSearchOnly: true }, { ...tool('stand_in'), standsInForSearch: true });
    const first = await talk.say(user(steps));
    talk.add({ ...tool('found'), entersAt: { type: 'call', callId: callIdOf(first) } });
    talk.add({ ...tool('again'), entersAt: { type: 'message', messageId: 'm' } });
    const second = await talk.say(results(first));
    expect(second.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'found' });
    expectNoneRefused(upstream);
    const names = [
      ...(upstream.bodies.at(-1) ?? '').matchAll(
        /"name":"(read|stand_in|found|again|hidden)","description"/g,
      ),
    ];
    expect(names.map(([, name]) => name)).toEqual(['read', 'stand_in', 'found', 'again']);
  });
});

test('D2, D10: a model that takes tools after a call only gets one of a message with the last success before it', async () => {
  await using upstream = await startSimulator();
  const talk = createTalk(anthropic.modelAt(upstream, 'claude-sonnet-5'));
  const first = await talk.say(user(script({ tool: 'read', input: {} }, { text: 'done' })));
  await talk.say(results(first, 'the text of a'));
  const next = user(script({ tool: 'found', input: { path: 'b' } }, { text: 'found it' }));
  talk.add({ ...tool('found'), entersAt: { type: 'message', messageId: next.id } });
  const second = await talk.say(next);
  expect(second.content.find((part) => part.type === 'tool-call')).toMatchObject({ name: 'found' });
  await talk.say(results(second));
  expectNoneRefused(upstream);
  const [, , entered = '', later = ''] = upstream.bodies;
  expect(entered).toContain('{"type":"tool_reference","tool_name":"found"}');
  expect(entered).not.toContain('tool_addition');
  expectGrowing([entered, later].map(withoutDeferred));
});

test('D11: the first deferred tool changes nothing before it, since a placeholder stood there from the start', async () => {
  await using upstream = await startSimulator();
  const model = anthropic?.modelAt(upstream);
  if (model === undefined) throw new Error('no vendor');
  const question = user('hi');
  const ofGrowing = await answerOf(
    model,
    ask('', { messages: [question], tools: [tool('read')], mayGrow: true }),
  );
  await answerOf(model, ask('', { messages: [question], tools: [tool('read')] }));
  expect(ofGrowing.text).toBe('ok');
  expect(upstream.bodies[0]).toContain('"defer_loading":true');
  expect(upstream.bodies[1]).not.toContain('defer_loading');
});

/** Without the deferred declarations, which are no part of the rendered prompt. */
function withoutDeferred(body: string): string {
  const { tools = [], ...rest } = JSON.parse(body);
  const loaded = tools.filter((declared: object) => !('defer_loading' in declared));
  return JSON.stringify({ ...rest, tools: loaded });
}
