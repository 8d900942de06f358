import { inspect } from 'node:util';
import { createSecret, loadSettings, redact } from '@quartermaster/agent/settings';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';

const canary = 'sk-canary-0123456789';

describe('C3: a secret shows nowhere but where it is asked for', () => {
  const secret = createSecret(canary);
  const { settings } = loadSettings({ env: { ANTHROPIC_API_KEY: canary } });

  test.each<[string, (value: unknown) => unknown]>([
    ['String', (value) => String(value)],
    ['a template string', (value) => `key ${value as string}`],
    ['concatenation', (value) => 'key ' + (value as string)],
    ['JSON.stringify', (value) => JSON.stringify({ value, list: [value] })],
    [
      'util.inspect',
      (value) => inspect(value, { depth: Infinity, showHidden: true, getters: true, customInspect: true }),
    ],
    [
      'util.inspect without custom ones',
      (value) => inspect(value, { depth: Infinity, showHidden: true, customInspect: false }),
    ],
    ['an error', (value) => inspect(new Error(`failed with ${value as string}`, { cause: value }))],
    [
      'its properties',
      (value) =>
        JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(value as object)).map(String)),
    ],
    ['a spread', (value) => JSON.stringify({ ...(value as object) })],
    ['Object.values', (value) => Object.values(value as object).join()],
  ])('C3: not in %s', (_, show) => {
    for (const value of [secret, settings]) expect(show(value)).not.toContain('canary');
  });

  test('C3: it can not be sent to another thread by accident', () => {
    expect(() => structuredClone(secret)).toThrow('could not be cloned');
  });

  test('C3: it is there when it is asked for, and can not be changed', () => {
    expect(secret.reveal()).toBe(canary);
    expect(Object.isFrozen(secret)).toBe(true);
  });
});

describe("C3: other programs' messages", () => {
  const secret = createSecret('pa/ss+wo rd');

  test('C3: a secret is taken out in every spelling', () => {
    const spellings = [
      'pa/ss+wo rd',
      encodeURIComponent('pa/ss+wo rd'),
      Buffer.from('pa/ss+wo rd').toString('base64'),
    ];
    for (const spelling of spellings)
      expect(redact(`before ${spelling} after`, [secret])).toBe('before [secret] after');
  });

  test('C3: a longer secret goes before a shorter one that it begins with', () => {
    expect(redact('abc-def', [createSecret('abc'), createSecret('abc-def')])).toBe('[secret]');
  });

  test('C3: an empty secret takes nothing out', () => {
    expect(redact('all of it', [createSecret('')])).toBe('all of it');
  });

  test('C3: URLs lose user info and the values of their queries (case 131)', () => {
    expect(redact('GET http://u:pw-canary@127.0.0.1:1/v1?key=k-canary&x=canary failed', [])).toBe(
      'GET http://…@127.0.0.1:1/v1?key=…&x=… failed',
    );
    expect(redact('http://u:pw-canary@h?key=canary', [])).toBe('http://…@h?key=…');
    expect(redact('http://h/a=b?c=canary#d=e', [])).toBe('http://h/a=b?c=…#d=e');
    expect(redact('a@b.org and http://h/p@x', [])).toBe('a@b.org and http://h/p@x');
  });

  test('C3: whatever stands around it, the secret is gone', () => {
    const key = fc.stringMatching(/^[a-zA-Z0-9_-]{8,20}$/);
    fc.assert(
      fc.property(fc.string(), key, fc.string(), (before, text, after) => {
        const shown = redact(before + text + after + encodeURIComponent(text), [createSecret(text)]);
        expect(shown.replaceAll('[secret]', '')).not.toContain(text);
      }),
      { seed: inject('seed') },
    );
  });
});
