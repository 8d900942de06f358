import { expect, test } from 'vitest';
import { isSearchTool, searchToolEntry } from '@quartermaster/deferral';

test('RW1: the entry is a bm25 search tool, in ASCII, with the name that its type asks for', () => {
  expect(JSON.parse(searchToolEntry)).toEqual({
    type: 'tool_search_tool_bm25_20251119',
    name: 'tool_search_tool_bm25',
  });
  expect(searchToolEntry).toMatch(/^[\x20-\x7e]+$/);
});

test.each([
  'tool_search_tool_bm25_20251119',
  'tool_search_tool_regex_20251119',
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
  'tool_search_tool_bm25_20270101',
])('RW1, Q1: %s is a search tool', (type) => {
  expect(isSearchTool(type)).toBe(true);
});

test.each([undefined, '', 'custom', 'tool_search', 'web_search_20250305', 'my_tool_search_tool_bm25'])(
  'RW1: %s is none',
  (type) => {
    expect(isSearchTool(type)).toBe(false);
  },
);
