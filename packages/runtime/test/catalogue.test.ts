import { createToolRegistry } from '@quartermaster/agent';
import { callTool } from '@quartermaster/agent/engine';
import type { ToolReference } from '@quartermaster/agent/engine';
import type { ToolDeclaration } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { addedTools } from '../src/toolsets/catalogue/added-tools.ts';
import { createCatalogueTools } from '../src/toolsets/catalogue/catalogue-tools.ts';
import type { ListDeclarations } from '../src/toolsets/catalogue/catalogue-tools.ts';
import { withCatalogue } from '../src/toolsets/catalogue/with-catalogue.ts';
import { noSessionTools } from '../src/sessions/session-tools.ts';
import { declareTools } from '../src/turn/declare-tools.ts';
import { createStage, keyOf, script } from './harness.ts';
import type { Stage, Started } from './harness.ts';

const { signal } = new AbortController();

function loaded(name: string, description = `The tool ${name}.`): ToolDeclaration {
  return { name, description, inputSchema: { type: 'object' } };
}

function waiting(name: string, description?: string): ToolDeclaration {
  return { ...loaded(name, description), isSearchOnly: true };
}

/** The two tools over these declarations, called with every right; several of these share one registry. */
function open(...lists: readonly ListDeclarations[]) {
  const registry = createToolRegistry();
  const issue = createCatalogueTools(registry);
  const opened = lists.map((declarations) => {
    const tools = issue(declarations);
    return async (name: string, input: object): Promise<string> => {
      const outcome = await callTool(
        tools.find((tool) => tool.name === name),
        { callId: 'c1', session: keyOf(), signal, input },
        { registry, gate: () => Promise.resolve({ type: 'allow' }), services: {} },
      );
      if (outcome.type === 'completed') return String(outcome.output);
      return `${outcome.type}: ${outcome.type === 'failed' ? String(outcome.error) : outcome.reason}`;
    };
  });
  return { registry, issue, opened };
}

/** The same over one list. */
function openOne(...declarations: readonly ToolDeclaration[]) {
  const [call] = open(() => declarations).opened;
  if (call === undefined) throw new Error('nothing was opened');
  const search = (words: string): Promise<string> => call('search_tools', { words });
  const add = (name: string): Promise<string> => call('add_tool', { name });
  return { search, add };
}

describe('search_tools', () => {
  test('RT1: tells the tools that wait by name and one line, the best first', async () => {
    const { search } = openOne(
      waiting('read_note', 'Read a note.\nIt can be:\n- short\n- long'),
      waiting('send_mail', 'Send a mail with a note.'),
      waiting('board_add_link', 'Connect two cards.'),
    );
    expect(await search('read a note')).toBe(
      [
        'Not loaded yet; load one with add_tool:',
        'read_note: Read a note. It can be: - short - long',
        'send_mail: Send a mail with a note.',
      ].join('\n'),
    );
  });

  test('case 23: what is loaded already is told too, also where nothing that waits has the words', async () => {
    const others = Array.from({ length: 158 }, (_, index) => waiting(`waiting_${index}`));
    const { search } = openOne(...others, loaded('connector_play', 'Play a song.'));
    expect(await search('connector play')).toBe(
      'Loaded already; call it directly:\nconnector_play: Play a song.',
    );
  });

  test('case 23: many loaded ones leave room for what waits, and the other way round', async () => {
    const alike = (make: typeof loaded, prefix: string) =>
      Array.from({ length: 20 }, (_, index) => make(`${prefix}_${index}`, 'A file.'));
    const { search } = openOne(...alike(loaded, 'here'), ...alike(waiting, 'there'));
    const lines = (await search('file')).split('\n');
    expect(lines.filter((line) => line.startsWith('there_'))).toHaveLength(5);
    expect(lines.filter((line) => line.startsWith('here_'))).toHaveLength(3);
  });

  test('case 33: no hit is an honest answer, and no claim that there is no such tool', async () => {
    const { search } = openOne(waiting('read_note'), waiting('send_mail'), loaded('shell'));
    const answer = await search('qqqq');
    expect(answer).toContain('other words may find one');
    expect(answer).toContain('2 tools are not loaded yet');
    expect(answer).not.toMatch(/read_note|send_mail|shell/);
  });

  test('a long description is cut to a line, and the two tools themselves are never found', async () => {
    const { search } = openOne(
      waiting('long', `tool ${'words '.repeat(500)}`),
      loaded('search_tools'),
      loaded('add_tool'),
    );
    const answer = await search('tool');
    expect(answer).not.toMatch(/search_tools:|add_tool: /);
    expect(answer.length).toBeLessThan(300);
  });
});

describe('add_tool', () => {
  test('case 35: a name is taken as it was shown, and with the marks that people put around names', async () => {
    const names = ['get_a_b', 'mcp__my_server__get-1', 'get "a,b"', 'a\\b, c'];
    const { search, add } = openOne(...names.map((name) => waiting(name, 'Get one.')));
    const shown = (await search('get one'))
      .split('\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(': ')));
    expect(shown.toSorted()).toEqual(names.toSorted());
    for (const name of shown) {
      for (const written of [name, ` ${name}\n`, `"${name}"`, `\`${name}\``, `'${name}'`]) {
        expect(await add(written)).toBe(`Loaded ${name}. Call it like any other tool from now on.`);
      }
    }
  });

  test('a name that no tool has fails, with names that are like it by letters or by words', async () => {
    const { add } = openOne(waiting('mcp__github__create_issue'), waiting('read_note'), loaded('shell'));
    expect(await add('create_issue')).toMatch(/^failed: .*Near names: mcp__github__create_issue\.$/);
    expect(await add('raed_note')).toMatch(/^failed: .*Near names: read_note\.$/);
    expect(await add('qqqq')).toMatch(/^failed: .*Find one with search_tools\.$/);
  });

  test('case 23: what is loaded already is to be called', async () => {
    expect(await openOne(loaded('shell')).add('shell')).toBe('shell is loaded already; call it directly.');
  });
});

describe('the lists of several agents and sessions', () => {
  test('T3: each has tools of its own over one registration, and a name alone reaches no list', async () => {
    const { registry, issue, opened } = open(
      () => [waiting('mine')],
      () => [waiting('yours')],
    );
    const [first, second] = opened;
    expect(await first?.('search_tools', { words: 'mine yours' })).toContain('mine:');
    expect(await second?.('search_tools', { words: 'mine yours' })).toContain('yours:');
    expect(await first?.('add_tool', { name: 'yours' })).toMatch(/^failed/);
    const [search] = issue(() => [waiting('mine')]);
    expect(registry.resolve(search)).toBe(registry.requireFor('search_tools', 'runtime'));
    const byName = await callTool(
      registry.requireFor('search_tools', 'runtime'),
      { callId: 'c1', session: keyOf(), signal, input: { words: 'mine' } },
      { registry, gate: () => Promise.resolve({ type: 'allow' }), services: {} },
    );
    expect(byName).toMatchObject({ output: expect.stringContaining('0 tools are not loaded yet') });
  });

  test('a list is asked at each call: what came, went, changed or was loaded since is told as it is', async () => {
    let declarations = [waiting('read_note'), waiting('send_mail')];
    const [call] = open(() => declarations).opened;
    const search = () => call?.('search_tools', { words: 'read note or send mail' });
    expect(await search()).toMatch(/^Not loaded yet.*\nread_note.*\nsend_mail.*$/);
    declarations = declarations.map(({ isSearchOnly: _, ...tool }) => tool);
    expect(await search()).toMatch(/^Loaded already.*\nread_note.*\nsend_mail.*$/);
    declarations = [waiting('read_note', 'Another text.'), waiting('mail_list')];
    expect(await search()).toMatch(/^Not loaded yet.*\nread_note: Another text\.\nmail_list.*$/);
  });
});

describe('what a request tells of a catalogue', () => {
  const pair = [loaded('search_tools'), loaded('add_tool')];
  const catalogue = [loaded('two'), loaded('one')];

  test('all of it is search-only, and what was added is a tool like any other beside it', () => {
    const declarations = [loaded('read'), ...pair];
    const at = (...added: readonly string[]) =>
      withCatalogue({ declarations, catalogue, added: new Set(added) });
    const standIns = pair.map((tool) => ({ ...tool, standsInForSearch: true }));
    const whole = [waiting('two'), waiting('one')];
    expect(at()).toEqual([loaded('read'), ...standIns, ...whole]);
    expect(at('one', 'gone', 'two')).toEqual([
      loaded('read'),
      ...standIns,
      loaded('one'),
      loaded('two'),
      ...whole,
    ]);
  });

  test('D2, D4: what waits is in no list of the session; what was added enters after its call, and stays there', () => {
    const present = (...added: readonly string[]) =>
      withCatalogue({ declarations: pair, catalogue, added: new Set(added) });
    const at = (callId: string) => ({
      lastSuccess: { callId, isSent: false },
      last: undefined,
      lateTools: 'tail' as const,
    });
    const first = declareTools(noSessionTools, present(), {
      lastSuccess: undefined,
      last: undefined,
      lateTools: 'tail' as const,
    });
    const begun = first.changed ?? noSessionTools;
    expect(begun.deferrals.baseline).toEqual(['search_tools', 'add_tool']);
    expect(declareTools(begun, present(), at('c0')).changed).toBeUndefined();
    const second = declareTools(begun, present('one'), at('c1'));
    const third = declareTools(second.changed ?? begun, present('one', 'two'), at('c2'));
    const entering = third.declarations.filter(({ entersAt }) => entersAt !== undefined);
    expect(entering.map(({ name, entersAt }) => [name, entersAt])).toEqual([
      ['one', { type: 'call', callId: 'c1' }],
      ['two', { type: 'call', callId: 'c2' }],
    ]);
    expect(third.declarations.slice(-2)).toEqual([waiting('two'), waiting('one')]);
    expect(third.breaks).toEqual([]);
  });

  test('a tool that an agent has anyway is told once beside the catalogue', () => {
    const declarations = [...pair, loaded('one')];
    const told = withCatalogue({ declarations, catalogue, added: new Set(['one']) });
    expect(told.filter(({ name }) => name === 'one')).toEqual([loaded('one'), waiting('one')]);
  });

  test.each([[[]], [pair.slice(0, 1)], [pair.slice(1)]])(
    'case 21: nothing waits where a tool to load it is missing: %j',
    (declarations) => {
      expect(withCatalogue({ declarations, catalogue, added: new Set() })).toEqual([
        ...declarations,
        ...catalogue,
      ]);
    },
  );

  test('case 23: what was added is loaded for the search too, wherever it stands', async () => {
    const told = withCatalogue({ declarations: pair, catalogue, added: new Set(['one']) });
    for (const declarations of [told, told.toReversed()]) {
      const { search, add } = openOne(...declarations);
      expect(await search('one')).toBe('Loaded already; call it directly:\none: The tool one.');
      expect(await search('two')).toMatch(/^Not loaded yet/);
      expect(await add('one')).toMatch(/loaded already/);
    }
  });
});

describe('what a session has added', () => {
  const catalogue = ['one', 'two', 'three'].map((name) => waiting(name));

  async function start(stage: Stage): Promise<Started> {
    const tools: ToolReference[] = [];
    const runtime = await stage.start({ lateTools: () => tools });
    tools.push(...createCatalogueTools(runtime.registry)(() => catalogue));
    return runtime;
  }

  async function added(stage: Stage): Promise<readonly string[]> {
    const messages = await stage.sessions.messages(keyOf());
    const entry = { agent: 'main', position: 0, atMs: 0, usage: undefined };
    return [...addedTools({ entries: messages.map((message) => ({ ...entry, message })) })];
  }

  const adding = (name: string): object => ({ tool: 'add_tool', input: { name } });

  test('is what its calls say that succeeded, in their order, each once', async () => {
    await using stage = await createStage();
    const runtime = await start(stage);
    const steps = [adding('two'), adding('four'), adding('`one`'), adding('two'), { text: 'done' }];
    await runtime.play(script(...steps));
    expect(await added(stage)).toEqual(['two', 'one']);
  });

  test('is nothing of a call whose input is none, or of another tool', async () => {
    await using stage = await createStage();
    const runtime = await start(stage);
    await runtime.play(
      script(
        { tool: 'search_tools', input: { words: 'one' } },
        { tool: 'add_tool', input: { nam: 'one' } },
        { text: 'done' },
      ),
    );
    expect(await added(stage)).toEqual([]);
  });

  test('stays after a compaction and a restart, with no state but the log', async () => {
    await using stage = await createStage();
    const runtime = await start(stage);
    await runtime.play(script(adding('two'), { text: 'done' }, { text: 'a summary' }));
    expect(await runtime.backend.compact(keyOf(), { signal })).toBe(true);
    await stage.reopen();
    await (await start(stage)).play(script(adding('three'), { text: 'done' }));
    expect(await added(stage)).toEqual(['two', 'three']);
  });
});
