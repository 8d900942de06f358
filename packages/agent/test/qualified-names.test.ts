import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createQualifiedNames } from '@quartermaster/agent/engine';
import type { ToolOrigin } from '@quartermaster/agent/engine';

const qualifyAll = (origins: readonly ToolOrigin[]): ReadonlyMap<string, string> => {
  const names = createQualifiedNames();
  return new Map(origins.map((origin) => [JSON.stringify(origin), names.qualify(origin)]));
};

test('T10: a name that no other origin can give is plain', () => {
  const names = createQualifiedNames();
  expect(names.qualify({ server: 'git_hub-2', tool: 'create__issue' })).toBe('mcp__git_hub-2__create__issue');
  expect(names.qualify({ server: 'git_lab', tool: 'create_issue' })).toBe('mcp__git_lab__create_issue');
});

test('T10: two servers may offer the same name; the way back is a table (case 117)', () => {
  const origins = [
    { server: 'a', tool: 'b__c' },
    { server: 'a__b', tool: 'c' },
    { server: 'evil_', tool: '_x' },
    { server: 'evil', tool: '__x' },
    { server: 'mail', tool: 'send' },
    { server: 'post', tool: 'send' },
  ];
  const names = createQualifiedNames();
  const qualified = origins.map((origin) => names.qualify(origin));
  expect(new Set(qualified).size).toBe(origins.length);
  expect(qualified.map((name) => names.originOf(name))).toEqual(origins);
  expect(names.originOf('mcp__a__c')).toBeUndefined();
});

test('T10: names over the limit are cut, differ, and are the same in both orders (case 115)', () => {
  const long = 'x'.repeat(60);
  const origins = [
    { server: 'server', tool: `${long}_first` },
    { server: 'server', tool: `${long}_second` },
  ];
  const [forward, backward] = [qualifyAll(origins), qualifyAll(origins.toReversed())];
  for (const [origin, name] of forward) {
    expect(name).toMatch(/^mcp__server__x+_[0-9a-f]{12}$/);
    expect(name).toHaveLength(64);
    expect(backward.get(origin)).toBe(name);
  }
  expect(new Set(forward.values()).size).toBe(2);
});

test('T10: a name of just the limit is plain; a hashed one is made of what is legible', () => {
  const names = createQualifiedNames({ maxLength: 20 });
  expect(names.qualify({ server: 'mail', tool: 'send_12345' })).toMatch(/^mcp__ma_[0-9a-f]{12}$/);
  expect(names.qualify({ server: 'mail', tool: 'send_1234' })).toBe('mcp__mail__send_1234');
  expect(createQualifiedNames().qualify({ server: '_a//b_', tool: 'c' })).toMatch(
    /^mcp__a_b__c_[0-9a-f]{12}$/,
  );
});

test('T10: the same origin again has the same name, and another table gives the same', () => {
  const names = createQualifiedNames();
  const origin = { server: 'café', tool: 'öffnen/schließen' };
  const name = names.qualify(origin);
  expect(name).toBe('mcp__caf___ffnen_schlie_en_' + name.slice(-12));
  expect(names.qualify(origin)).toBe(name);
  expect(createQualifiedNames().qualify(origin)).toBe(name);
});

test('T10: a server can not choose a tool’s name so that it meets a shortened one', () => {
  const names = createQualifiedNames();
  const cut = names.qualify({ server: 'mail', tool: 'send.now' });
  const chosen = cut.slice('mcp__mail__'.length);
  expect(names.qualify({ server: 'mail', tool: chosen })).not.toBe(cut);
});

test('T10: whatever servers and tools are called, names are legal, distinct and independent of the order', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('_', '__', 'a', 'b', '-'), minLength: 1, maxLength: 8 }),
    fc.string({ minLength: 1, maxLength: 80 }),
  );
  const origin = fc.record({ server: text, tool: text });
  const selector = (one: ToolOrigin): string => JSON.stringify(one);
  fc.assert(
    fc.property(fc.uniqueArray(origin, { selector, maxLength: 30 }), (origins) => {
      const names = qualifyAll(origins);
      expect(new Set(names.values()).size).toBe(origins.length);
      for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const backward = qualifyAll(origins.toReversed());
      for (const [one, name] of names) expect(backward.get(one)).toBe(name);
    }),
    { seed: inject('seed'), numRuns: 200 },
  );
});
