import { describe, expect, test } from 'vitest';
import { decideOn, engineOf } from './engine.ts';

function answer(target: unknown, ...rules: readonly string[]): string {
  return decideOn(engineOf(rules), 'network.fetch', target).type;
}

describe('P1: a URL is the host that it leads to', () => {
  const rules = ['allow network.fetch: https://docs.example.com/**', 'deny network.fetch: *://127.0.0.1:*'];

  test.each([
    ['https://docs.example.com/a', 'allow'],
    ['HTTPS://DOCS.Example.COM:443/a?q=1#f', 'allow'],
    ['https://docs.example.com./a', 'allow'],
    ['https://docs.example.com:8443/a', 'ask'],
    ['http://docs.example.com/a', 'ask'],
    ['https://docs.example.com.evil.org/', 'ask'],
    ['https://evil.org/docs.example.com/', 'ask'],
    ['https://docs.example.com@evil.org/', 'deny'],
    ['https://evil.org@docs.example.com/', 'deny'],
    ['https://@docs.example.com/', 'deny'],
    ['https://evil.org\\@docs.example.com/', 'deny'],
    ['https://docs.example.com\n.evil.org/', 'deny'],
    ['https:docs.example.com/a', 'deny'],
    ['https:///docs.example.com/a', 'deny'],
    ['//docs.example.com/a', 'deny'],
    ['docs.example.com', 'deny'],
    ['', 'deny'],
  ])('P1: %j is a case of %s', (target, expected) => {
    expect(answer(target, ...rules)).toBe(expected);
  });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]:8080/',
    'ws://127.0.0.1:9229/',
  ])('P1: %s is 127.0.0.1', (target) => {
    expect(answer(target, 'allow network.fetch', ...rules)).toBe('deny');
  });

  test('P1: a name in other letters is the name that the resolver is asked for', () => {
    const only = 'allow network.fetch: https://bücher.example/**';
    expect(answer('https://xn--bcher-kva.example/x', only)).toBe('allow');
    expect(answer('https://BÜCHER.example/x', only)).toBe('allow');
    // Cyrillic a.
    expect(answer('https://\u0430pple.example/', 'allow network.fetch: https://apple.example')).toBe('ask');
  });
});

describe('P1: patterns of URLs', () => {
  test.each([
    ['https://*.example.com', 'https://a.b.example.com/x', true],
    ['https://*.example.com', 'https://example.com/x', false],
    ['https://*.example.com', 'https://badexample.com/x', false],
    ['https://example.com', 'https://example.com/any/path', true],
    ['https://example.com/docs/*', 'https://example.com/docs/a/b', true],
    ['https://example.com/docs/*', 'https://example.com/docs/../admin', false],
    ['https://example.com/docs/*', 'https://example.com/docs/%2e%2e/admin', false],
    ['https://example.com/docs/*', 'https://example.com/docs/..%2fadmin', false],
    ['https://example.com/docs/*', 'https://example.com/docs/..;/admin', false],
    ['https://example.com/d%6Fcs/*', 'https://example.com/do%63s/x', true],
    ['https://example.com:8443', 'https://example.com:8443/', true],
    ['https://example.com:8443', 'https://example.com/', false],
    ['https://*', 'https://any.host/', true],
    ['https://[::1]:80/x', 'https://[0::1]:80/x', true],
  ])('P1: an allow of %s covers %s: %s', (pattern, target, isCovered) => {
    expect(answer(target, `allow network.fetch: ${pattern}`)).toBe(isCovered ? 'allow' : 'ask');
  });

  test('P1: a deny without a port holds for every port, and asks where a server may read another path', () => {
    const rules = ['allow network.fetch', 'deny network.fetch: https://example.com/admin/*'];
    expect(answer('https://example.com:8443/admin/x', ...rules)).toBe('deny');
    expect(answer('https://example.com/a%2f..%2fadmin%2fx', ...rules)).toBe('ask');
    expect(answer('https://example.com/%61dmin/x', ...rules)).toBe('deny');
    expect(answer('https://example.com/other', ...rules)).toBe('allow');
  });

  test('P1: no explanation holds a credential of a URL', () => {
    const decision = decideOn(engineOf([]), 'network.fetch', 'https://u:pw-canary@example.com/?key=k-canary');
    expect(JSON.stringify(decision)).not.toContain('canary');
    const asked = decideOn(engineOf([]), 'network.fetch', 'https://example.com/?key=k-canary');
    expect(asked.type).toBe('ask');
    expect(JSON.stringify(asked)).not.toContain('canary');
  });
});
