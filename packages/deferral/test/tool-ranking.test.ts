import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { createToolIndex } from '@quartermaster/deferral';
import type { SearchableTool } from '@quartermaster/deferral';
import { describe, expect, inject, test } from 'vitest';

function toolOf(name: string, description = '', inputSchema: object = {}): SearchableTool {
  return { name, description, inputSchema };
}

function search(tools: readonly SearchableTool[], query: string, limit = 5): readonly string[] {
  return createToolIndex(tools)
    .rank(query, { limit })
    .map(({ name }) => name);
}

describe('case 33: a tool is found by its own words', () => {
  const others = Array.from({ length: 35 }, (_, index) =>
    toolOf(`thing_${index}`, `Set the size of the thing with the number ${index}, of the others too.`),
  );
  const tools = [
    ...others,
    toolOf('breadcrumb_show', 'Show where one is.'),
    toolOf('board_add_link', 'Connect two cards.'),
    toolOf('openTicket', 'Begin a request for support.'),
    toolOf('read_note', 'Give the text of a note.'),
    toolOf('theme_edit', 'Set the colour of a board.'),
    toolOf('vault_store', 'Archive old items.'),
  ];

  test.each([
    ['add link', 'board_add_link'],
    ['openTicket', 'openTicket'],
    ['open ticket', 'openTicket'],
    ['openticket', 'openTicket'],
    ['OPEN-TICKET', 'openTicket'],
    ['read', 'read_note'],
    ['the colour of the board', 'theme_edit'],
    ['archiving', 'vault_store'],
    ['archives', 'vault_store'],
    ['Which one archived the item?', 'vault_store'],
  ])('%s finds %s first', (query, name) => {
    expect(search(tools, query)[0]).toBe(name);
  });

  test('a short word is no hit inside a longer one', () => {
    expect(search([toolOf('breadcrumb_show'), toolOf('add_link')], 'read bread ad lin')).toEqual([]);
  });

  test.each(['qqqq', '', '  ', 'the of and', '?!'])('"%s" finds nothing', (query) => {
    expect(search(tools, query)).toEqual([]);
  });

  test('equally good ones stand in the order of the tools', () => {
    const alike = ['z', 'a', 'm'].map((letter) => toolOf(`${letter}1`, 'Send a letter.'));
    expect(search(alike, 'letter')).toEqual(['z1', 'a1', 'm1']);
  });
});

describe('what counts', () => {
  test('a name that the query is comes before names that have its words and more of them', () => {
    const tools = [toolOf('send_mail', 'send mail'), toolOf('mail_send', 'mail mail send'), toolOf('send')];
    expect(search(tools, 'mail_send')[0]).toBe('mail_send');
    expect(search(tools, 'send mail')[0]).toBe('send_mail');
  });

  test('a word in a name counts more than in a description, and there more than in the arguments', () => {
    const plain = { properties: { size: {} } };
    const tools = [
      toolOf('one', 'plain', { properties: { invoice: {} } }),
      toolOf('two', 'invoice', plain),
      toolOf('invoice', 'plain', plain),
      ...['three', 'four', 'five'].map((name) => toolOf(name, 'plain', plain)),
    ];
    expect(search(tools, 'about an invoice')).toEqual(['invoice', 'two', 'one']);
  });

  test('a rare word counts more than one that most tools have', () => {
    const tools = [
      ...['a1', 'b1', 'c1', 'd1'].map((name) => toolOf(name, 'create issue')),
      toolOf('e1', 'list milestone'),
    ];
    expect(search(tools, 'create a milestone')[0]).toBe('e1');
  });

  test('the names of arguments and what is said of them are read, those inside of others too, and of any name', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        description: { type: 'string' },
        rows: { type: 'array', items: { properties: { iban: { description: 'Of the recipient.' } } } },
      },
    };
    const tools = [toolOf('pay', 'Send money.', inputSchema), toolOf('wait', 'Do nothing.')];
    for (const query of ['iban', 'recipients', 'description', 'rows']) {
      expect(search(tools, query)).toEqual(['pay']);
    }
    expect(search(tools, 'string array')).toEqual([]);
  });

  test('a schema that is nested without end is read as far as it says anything', () => {
    const deep: unknown = JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`);
    expect(search([toolOf('deep', 'Dig.', { deep })], 'dig')).toEqual(['deep']);
  });

  test('accents, and languages without spaces, are no hindrance', () => {
    const tools = [
      toolOf('a', '使用必应搜索指定的关键词'),
      toolOf('b', 'Café öffnen'),
      toolOf('c', '検索する'),
    ];
    expect(search(tools, '搜索')).toEqual(['a']);
    expect(search(tools, 'cafe')).toEqual(['b']);
    expect(search(tools, '検索')).toEqual(['c']);
  });

  test('a word with capitals inside is found as a whole and in its parts', () => {
    const tools = [toolOf('clone', 'From GitHub.'), toolOf('export', 'Give a PDFFile.')];
    expect(search(tools, 'github')).toEqual(['clone']);
    expect(search(tools, 'pdf')).toEqual(['export']);
  });
});

test('whatever is searched: no more than asked for, each once, the same every time', () => {
  const words = fc.stringMatching(/^[a-dA-D_ .{]{0,12}$/);
  const tools = fc.array(
    fc.record({
      name: words,
      description: words,
      inputSchema: fc.record({ properties: fc.dictionary(words, fc.constant({})) }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(tools, fc.oneof(words, fc.string()), fc.nat(6), (known, query, limit) => {
      const index = createToolIndex(known);
      const ranked = index.rank(query, { limit });
      expect(ranked.length).toBeLessThanOrEqual(limit);
      expect(new Set(ranked).size).toBe(ranked.length);
      expect(createToolIndex(known).rank(query, { limit })).toEqual(ranked);
      expect(index.rank(query, { limit: 12 }).slice(0, limit)).toEqual(ranked);
    }),
    { seed: inject('seed') },
  );
});

describe('the right tool is among the first five of 527', () => {
  const tools = readLines('tools') as readonly SearchableTool[];
  const index = createToolIndex(tools);

  /** The share of the tools that are wanted, of five at most, the mean over all questions. */
  function recall(
    questions: readonly { readonly question: string; readonly tools: readonly string[] }[],
  ): number {
    const shares = questions.map(({ question, tools: wanted }) => {
      const found = new Set(index.rank(question, { limit: 5 }).map(({ name }) => name));
      return wanted.filter((name) => found.has(name)).length / Math.min(wanted.length, 5);
    });
    return shares.reduce((total, share) => total + share, 0) / shares.length;
  }

  test('for the words of its name, always', () => {
    const questions = tools.map(({ name }) => ({
      question: name
        .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .replaceAll(/[_-]+/g, ' ')
        .toLowerCase(),
      tools: [name],
    }));
    expect(recall(questions)).toBe(1);
  });

  test('for every second word of its first sentence, in 98 of 100', () => {
    const questions = tools.flatMap(({ name, description }) => {
      const sentence = description.split(/[.\n。]/).find((part) => /\p{L}/u.test(part));
      const words = sentence?.split(/\s+/).filter((_, place) => place % 2 === 0);
      return words === undefined ? [] : [{ question: words.join(' '), tools: [name] }];
    });
    expect(questions.length).toBeGreaterThan(480);
    expect(recall(questions)).toBeGreaterThan(0.98);
  });

  test('for the whole text of a task that takes several, in 37 of 100', () => {
    const tasks = readLines('tasks') as readonly { question: string; tools: string[] }[];
    expect(tasks).toHaveLength(94);
    expect(recall(tasks)).toBeGreaterThan(0.37);
  });

  function readLines(file: string): readonly unknown[] {
    const url = new URL(`fixtures/livemcpbench/${file}.jsonl`, import.meta.url);
    return readFileSync(url, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }
});
