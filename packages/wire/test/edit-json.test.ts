import {
  appendItem,
  applyEdits,
  asciiJson,
  findItems,
  insertItemAfter,
  insertMember,
  removeItems,
  removeMember,
  replaceValue,
  setMember,
} from '@quartermaster/wire';
import type { Edit, Span } from '@quartermaster/wire';
import { describe, expect, test } from 'vitest';

describe('adding', () => {
  test.each([
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":{} \n}', '{"a":{},"b":2 \n}'],
    ['{}', '{"b":2}'],
    ['{ \n }', '{"b":2 \n }'],
  ])('a member goes behind the last value of %j', (text, expected) => {
    expect(applyEdits(text, [insertMember(whole(text), text, '"b":2')])).toBe(expected);
  });

  test.each([
    ['[1]', '[1,2]'],
    ['[ [] ]', '[ [],2 ]'],
    ['[]', '[2]'],
    ['[\t]', '[2\t]'],
  ])('an item goes behind the last one of %j', (text, expected) => {
    expect(applyEdits(text, [appendItem(whole(text), text, '2')])).toBe(expected);
  });

  test('several additions to one list keep their order', () => {
    const text = '[1]';
    expect(applyEdits(text, [appendItem(whole(text), text, '2'), appendItem(whole(text), text, '3')])).toBe(
      '[1,2,3]',
    );
  });

  test('an item goes right behind another', () => {
    expect(applyEdits('[1 ,3]', [insertItemAfter({ start: 1, end: 2 }, '2')])).toBe('[1,2 ,3]');
  });
});

describe('finding', () => {
  test.each([
    ['[]', []],
    ['[ 1 , [2, 3] ,{"a":[4]}]', ['1', '[2, 3]', '{"a":[4]}']],
  ])('the items of %j are told one by one', (text, expected) => {
    expect(findItems(whole(text), text).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
});

describe('setting', () => {
  test.each([
    ['{"a":1}', '{"a":1,"k":true}'],
    ['{"k" : null ,"a":1}', '{"k" : true ,"a":1}'],
    ['{"\\u006b":false}', '{"\\u006b":true}'],
    ['{"a":{"k":1}}', '{"a":{"k":1},"k":true}'],
    ['{}', '{"k":true}'],
  ])('a member of %j is replaced where it stands, else added', (text, expected) => {
    expect(applyEdits(text, [setMember(whole(text), text, 'k', 'true')])).toBe(expected);
  });

  test('a key that stands twice is refused', () => {
    const text = '{"k":1,"k":2}';
    expect(() => setMember(whole(text), text, 'k', '3')).toThrow(
      expect.objectContaining({ code: 'WIRE_BODY_REFUSED' }),
    );
  });

  test('a value is replaced and nothing around it', () => {
    expect(applyEdits('{"a": 1 }', [replaceValue({ start: 6, end: 7 }, '[]')])).toBe('{"a": [] }');
  });
});

describe('removing takes one comma and no other byte', () => {
  test.each([
    ['{"a":1,"b":2,"c":3}', '"a":1', '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', '"b":2', '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', '"c":3', '{"a":1,"b":2}'],
    ['{"a":1}', '"a":1', '{}'],
    ['{ "a":1 , "b":2 }', '"a":1', '{   "b":2 }'],
    ['{ "a":1 , "b":2 }', '"b":2', '{ "a":1   }'],
    ['{\n"a":1\n}', '"a":1', '{\n\n}'],
  ])('%j without %j', (text, member, expected) => {
    expect(applyEdits(text, [removeMember(text, find(text, member))])).toBe(expected);
  });

  test('a member that goes and one that comes may meet at the end', () => {
    const text = '{"a":1,"b":2}';
    const edits = [insertMember(whole(text), text, '"c":3'), removeMember(text, find(text, '"b":2'))];
    expect(applyEdits(text, edits)).toBe('{"a":1,"c":3}');
  });

  test('PR3: any number of items goes with as many commas', () => {
    const text = '[10 ,11, 12 , 13]';
    const items = ['10', '11', '12', '13'];
    const without = (gone: readonly string[]): string =>
      applyEdits(
        text,
        removeItems(
          text,
          gone.map((item) => find(text, item)),
        ),
      );
    for (let chosen = 0; chosen < 2 ** items.length; chosen += 1) {
      const gone = items.filter((_item, index) => chosen & (1 << index));
      const left = without(gone.toReversed());
      expect(JSON.parse(left)).toEqual(items.filter((item) => !gone.includes(item)).map(Number));
      expect(left.replaceAll(/[^ ]/g, '')).toBe('    ');
    }
    expect(without([])).toBe(text);
  });

  test('RW1: items that go and one that comes last may meet', () => {
    const text = '[1,2,3]';
    const edits: readonly Edit[] = [
      ...removeItems(text, [find(text, '2'), find(text, '3')]),
      appendItem(whole(text), text, '4'),
    ];
    expect(applyEdits(text, edits)).toBe('[1,4]');
  });
});

describe('asciiJson', () => {
  test('spells everything beyond ASCII as escapes', () => {
    const value = { é: '中🚀\u2028\u007f"\\', lone: '\ud800' };
    const json = asciiJson(value);
    expect(json).toBe('{"\\u00e9":"\\u4e2d\\ud83d\\ude80\\u2028\u007f\\"\\\\","lone":"\\ud800"}');
    expect(JSON.parse(json)).toEqual(value);
  });

  test('refuses what JSON cannot hold', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [undefined, () => 1, 1n, circle]) {
      expect(() => asciiJson(value)).toThrow(expect.objectContaining({ code: 'WIRE_VALUE_NOT_JSON' }));
    }
  });
});

function whole(text: string): Span {
  return { start: 0, end: text.length };
}

function find(text: string, part: string): Span {
  const start = text.indexOf(part);
  return { start, end: start + part.length };
}
