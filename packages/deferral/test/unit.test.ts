import { expect, test } from 'vitest';
import { unitOf } from '@quartermaster/deferral';

test.each([
  ['mcp__github__create_issue', 'mcp__github'],
  ['mcp__github__create__issue', 'mcp__github'],
  ['mcp__srv__x', 'mcp__srv'],
  ['mcp__srv2__x', 'mcp__srv2'],
  ['mcp__my_server__x', 'mcp__my_server'],
  ['mcp___a__x', 'mcp___a'],
  ['mcp__a___x', 'mcp__a'],
  ['mcp__a____', 'mcp__a'],
])('RU6: the server of %j is read up to the first __ after the prefix: %j', (name, unit) => {
  expect(unitOf(name)).toBe(unit);
});

test.each([
  'Bash',
  '',
  'mcp',
  'mcp__',
  'mcp__x',
  'mcp__a_b',
  'mcp__a__',
  'mcp____',
  'mcp____x',
  'mcp____x__y',
  'MCP__a__b',
  'xmcp__a__b',
  ' mcp__a__b',
  'mcp_a__b',
])('RU6: %j has no server or no tool part, and is judged as a built-in', (name) => {
  expect(unitOf(name)).toBe(name);
});
