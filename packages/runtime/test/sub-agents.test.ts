import { describe, expect, test } from 'vitest';
import type { AgentConfig } from '@quartermaster/agent';
import type { PermissionRule } from '@quartermaster/agent/permissions';
import { agentOf, createStage, eventsOf, keyOf, outline, script, toolOf } from './harness.ts';

/** A root with two children; the names of tools stand for tools of the stage. */
function family(changes: Partial<AgentConfig> = {}): readonly AgentConfig[] {
  return [
    agentOf('main', [], { subAgents: ['reader', 'writer'] }),
    agentOf('reader', [], { tools: ['read'], ...changes }),
    agentOf('writer', [], { tools: ['write'] }),
  ];
}

/** A prompt whose script is that of a sub-agent, nested in its parent's. */
function task(...steps: readonly unknown[]): string {
  return `##${JSON.stringify(steps)}##`;
}

const handOff = (child: string, text: string) => ({ tool: `hand_off_to_${child}`, input: { task: text } });

describe('sub-agents', () => {
  test('a hand-off runs the child in a session of its own, and its last words are the result', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      agents: family(),
      tools: [toolOf('read', () => 'a text'), toolOf('write')],
    });
    const { events, result } = await runtime.play(
      script(handOff('reader', task({ tool: 'read' }, { text: 'It says a text.' })), { text: 'all done' }),
    );
    expect(result).toMatchObject({ status: 'completed', text: 'all done' });
    expect(eventsOf(events, 'tool-result').map((event) => [event.agent, event.result.text])).toEqual([
      ['reader', 'a text'],
      ['main', 'It says a text.'],
    ]);
    const child = events.find(({ agent }) => agent === 'reader')?.session ?? keyOf('none');
    expect(child.session).not.toBe('ses');
    expect((await stage.sessions.find(child))?.parent).toBe('ses');
    expect(outline(await stage.sessions.messages(child))).toEqual([
      expect.stringMatching(/^user/),
      expect.stringMatching(/^assistant read/),
      expect.stringMatching(/^tool/),
      'assistant "It says a text."',
    ]);
    expect(await stage.sessions.list(keyOf(), { limit: 10 })).toHaveLength(1);
  });

  test('L1: those of a turn whose session was taken over run nothing more, and none begins', async () => {
    await using stage = await createStage();
    const ran: string[] = [];
    const take = toolOf('take', async () => {
      ran.push('take');
      const thief = { turn: 'thief', owner: 'x', leaseMs: 60_000 };
      return await stage.store.sessions.takeTurn(keyOf(), thief, { turn: 'mine' });
    });
    const runtime = await stage.start({
      agents: [
        agentOf('main', [], { subAgents: ['reader'] }),
        agentOf('reader', [], { tools: ['take', 'write'], subAgents: ['below'] }),
        agentOf('below'),
      ],
      tools: [take, toolOf('write', () => ran.push('write'))],
    });
    const late = { tools: [{ tool: 'write' }, handOff('below', 'too late')] };
    const text = script(handOff('reader', task({ tool: 'take' }, late)), { text: 'done' });
    const { result } = await runtime.play(text, { turn: 'mine' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_TURN_LOST' } });
    expect(ran).toEqual(['take']);
    expect(stage.bodies.map(({ system }) => system[0].text)).toEqual(['You are main.', 'You are reader.']);
  });

  test('the child starts empty, under its own prompt and with its own tools', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ agents: family(), tools: [toolOf('read'), toolOf('write')] });
    await runtime.play(script(handOff('reader', task({ text: 'done' })), { text: 'done' }));
    expect(stage.bodies[1].system).toMatchObject([{ text: 'You are reader.' }]);
    expect(stage.bodies[1].messages).toHaveLength(1);
    expect(stage.bodies[1].tools.map(({ name }: { name: string }) => name)).toEqual(['read']);
    expect(stage.bodies[0].tools.map(({ name }: { name: string }) => name)).toEqual([
      'hand_off_to_reader',
      'hand_off_to_writer',
    ]);
  });

  test('what a child spends, its parent spends; the parent keeps an item for it', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ agents: family(), tools: [toolOf('read'), toolOf('write')] });
    const { result } = await runtime.play(
      script(handOff('reader', task({ text: 'done' })), { text: 'done' }),
    );
    const billed = stage.simulator.bill().totalUsd;
    expect(result.usage.costUsd).toBeCloseTo(billed, 12);
    expect((await stage.sessions.find(keyOf()))?.totals.costUsd).toBeCloseTo(billed, 12);
    const { subSessions } = await stage.sessions.transcript(keyOf());
    expect(subSessions).toHaveLength(1);
    expect(subSessions[0]?.transcript.session.parent).toBe('ses');
    const copy = await stage.sessions.clone(keyOf());
    expect((await stage.sessions.transcript(copy)).subSessions[0]?.transcript.messages).toHaveLength(2);
  });

  test('several children work at once', async () => {
    await using stage = await createStage();
    const written = Promise.withResolvers<void>();
    const runtime = await stage.start({
      agents: family(),
      tools: [
        toolOf('read', () => written.promise.then(() => 'read after the write')),
        toolOf('write', () => {
          written.resolve();
          return 'written';
        }),
      ],
    });
    const tools = [
      handOff('reader', task({ tool: 'read' }, { text: 'read' })),
      handOff('writer', task({ tool: 'write' }, { text: 'wrote' })),
    ];
    const { events, result } = await runtime.play(script({ tools }, { text: 'both' }));
    expect(result.text).toBe('both');
    const own = eventsOf(events, 'tool-result').filter(({ agent }) => agent === 'main');
    expect(own.map((event) => event.result.text)).toEqual(['read', 'wrote']);
    expect((await stage.sessions.transcript(keyOf())).subSessions).toHaveLength(2);
  });

  test('I3: turns side by side on one runtime keep their sub-agents, events and results to themselves', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      agents: family(),
      tools: [toolOf('read', (_, { session }) => `read in ${session.session}`), toolOf('write')],
    });
    const names = Array.from({ length: 8 }, (_, index) => `ses-${index}`);
    const played = await Promise.all(
      names.map((session) =>
        runtime.play(
          script(handOff('reader', task({ tool: 'read' }, { text: `for ${session}` })), {
            text: `done ${session}`,
          }),
          { session, turn: `turn of ${session}` },
        ),
      ),
    );
    for (const [index, { events, result }] of played.entries()) {
      const session = names[index] ?? '';
      expect(result.text).toBe(`done ${session}`);
      expect(events.every(({ turn }) => turn === `turn of ${session}`)).toBe(true);
      const { subSessions } = await stage.sessions.transcript(keyOf(session));
      expect(subSessions.map(({ transcript }) => transcript.session.parent)).toEqual([session]);
      const texts = eventsOf(events, 'tool-result').map((event) => event.result.text);
      expect(texts).toEqual([`read in ${subSessions[0]?.transcript.session.session}`, `for ${session}`]);
    }
  });

  test('a cancel reaches the child, and leaves both histories valid', async () => {
    await using stage = await createStage();
    const cancel = new AbortController();
    const runtime = await stage.start({
      agents: family(),
      tools: [
        toolOf('write'),
        toolOf('read', async (_, { signal }) => {
          queueMicrotask(() => cancel.abort());
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        }),
      ],
    });
    const { events, result } = await runtime.play(
      script(handOff('reader', task({ tool: 'read' })), { text: 'done' }),
      { signal: cancel.signal },
    );
    expect(result.status).toBe('cancelled');
    expect(eventsOf(events, 'tool-result').map((event) => [event.agent, event.result.outcome])).toEqual([
      ['reader', 'interrupted'],
      ['main', 'interrupted'],
    ]);
    expect((await runtime.play('go on')).result.status).toBe('completed');
  });

  test('a child that fails is told to its parent, which goes on', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ agents: family(), tools: [toolOf('read'), toolOf('write')] });
    const { events, result } = await runtime.play(
      script(handOff('reader', task({ fault: 'status', status: 429 })), { text: 'so be it' }),
    );
    expect(result).toMatchObject({ status: 'completed', text: 'so be it' });
    expect(eventsOf(events, 'error')).toMatchObject([
      { agent: 'reader', recoverable: true, code: 'PROVIDER_RATE_LIMITED' },
    ]);
    expect(eventsOf(events, 'tool-result')).toMatchObject([{ agent: 'main', result: { outcome: 'failed' } }]);
  });

  test('P8: a child has at most the rights of its parent, narrowed by its own configuration', async () => {
    await using stage = await createStage();
    const rule = (answer: 'allow' | 'deny', target: string): PermissionRule => ({
      answer,
      capability: 'notes.read',
      target,
      source: 'user',
    });
    const capabilities = [{ capability: 'notes.read', target: { argument: 'title' } }] as const;
    const runtime = await stage.start({
      agents: family({ permissions: { rules: [rule('deny', 'diary'), rule('allow', 'secret')] } }),
      tools: [toolOf('read', undefined, { capabilities }), toolOf('write')],
      rules: [rule('allow', 'diary'), rule('allow', 'list'), rule('deny', 'secret')],
    });
    const tools = ['diary', 'list', 'secret'].map((title) => ({ tool: 'read', input: { title } }));
    const { events } = await runtime.play(
      script(handOff('reader', task({ tools }, { text: 'done' })), { text: 'done' }),
    );
    const outcomes = eventsOf(events, 'tool-result').map((event) => event.result.outcome);
    expect(outcomes).toEqual(['denied', 'completed', 'denied', 'completed']);
  });

  test('a tool that hands work over is called in a turn or not at all', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ agents: family(), tools: [toolOf('read'), toolOf('write')] });
    const tool = runtime.registry.requireFor('hand_off_to_reader', 'runtime');
    const context = {
      callId: 'c',
      session: keyOf(),
      signal: new AbortController().signal,
      service: () => {
        throw new Error('none');
      },
    };
    await expect(tool.run({ task: 'read' }, context)).rejects.toMatchObject({ code: 'RUNTIME_NO_TURN' });
  });
});
