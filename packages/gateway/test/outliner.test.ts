import fc from 'fast-check';
import { outlineMessages } from '@quartermaster/wire';
import { describe, expect, inject, test } from 'vitest';
import { digestOf, unmarked } from '../src/conversation/digest.ts';
import { createOutliner } from '../src/conversation/outliner.ts';

const tool = (name: string, more: object = {}): object => ({
  name,
  description: `${name} does what its name says, at some length: ${'words '.repeat(90)}`,
  input_schema: { type: 'object' },
  ...more,
});
const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const lists = [
  [tool('Read'), tool('Grep', marked), tool('Late', { defer_loading: true })],
  [tool('Read'), tool('Grep', marked)],
  [tool('Read'), tool('Grep', marked), tool('Écrire')],
  [{ name: 'short' }],
];

describe('RW8: an outline is the same whether its tools were seen before or not', () => {
  test('wherever they stand, and whatever stands around them', () => {
    const outliner = createOutliner();
    const list = fc.constantFrom(...lists);
    const members = fc.record({
      before: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
      tools: list,
      damage: fc.constantFrom('', '', '', '}', ',', ' '),
      space: fc.constantFrom('', ' ', '\n\t'),
    });
    fc.assert(
      fc.property(members, ({ before, tools, damage, space }) => {
        const json = `{"x":${JSON.stringify(before)},"tools":${space}${JSON.stringify(tools)}${damage},"messages":[]}`;
        const text = Buffer.from(json).toString('latin1');
        expect(outliner('local', text).read).toEqual(outlineMessages(text));
      }),
      { seed: inject('seed') },
    );
  });

  test('digests of known tools are those of their bytes, wherever their mark stands', () => {
    const outliner = createOutliner();
    const bodies = [lists[0], lists[1]].map(
      (tools) => `{"x":"a place of its own","tools":${JSON.stringify(tools)}}`,
    );
    for (const text of [...bodies, ...bodies]) outliner('local', text);
    for (const text of bodies) {
      const { read, toolDigests } = outliner('local', text);
      const tools = read.type === 'outline' ? (read.outline.tools?.items ?? []) : [];
      expect(toolDigests).toEqual(tools.map((each) => digestOf(unmarked(text, each))));
    }
    const bare = JSON.stringify([tool('Read'), tool('Grep')]);
    outliner('local', `{"tools":${bare}}`);
    const [, unmarkedGrep] = outliner('local', `{"tools":${bare}}`).toolDigests ?? [];
    expect(outliner('local', bodies[1] ?? '').toolDigests?.[1]).toBe(unmarkedGrep);
  });

  test('also where a list begins like one that is known, or ends sooner', () => {
    const outliner = createOutliner();
    const [long, short] = [lists[2], lists[1]].map((tools) => `{"tools":${JSON.stringify(tools)}}`);
    for (const json of [long, short, long, `${long?.slice(0, -2)},{}]}`, long?.slice(0, -9)]) {
      const text = Buffer.from(json ?? '').toString('latin1');
      expect(outliner('local', text).read).toEqual(outlineMessages(text));
    }
  });

  test('law 8: what one tenant sends neither helps another nor pushes out what is its own', () => {
    const outliner = createOutliner();
    const toolsOf = (tenant: string, index: number): unknown => {
      const { read } = outliner(tenant, `{"tools":${JSON.stringify([tool(`Own${index}`), tool('Read')])}}`);
      return read.type === 'outline' ? read.outline.tools?.items : read;
    };
    const isKnown = (tenant: string, index: number): boolean =>
      toolsOf(tenant, index) === toolsOf(tenant, index);
    toolsOf('a', 0);
    const known = toolsOf('a', 0);
    for (let index = 1; index < 20; index += 1) toolsOf('b', index);
    expect(toolsOf('a', 0)).toBe(known);
    expect(toolsOf('b', 0)).not.toBe(known);
    expect(isKnown('b', 0)).toBe(true);
  });
});
