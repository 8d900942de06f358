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

describe('P1: how a URL is read', () => {
  /** What is shown of it, or why it was refused. */
  function readingOf(target: string): string | undefined {
    const [finding] = decideOn(engineOf([]), 'network.fetch', target).findings;
    return finding?.answer === 'deny' ? finding.note : finding?.target;
  }

  test.each([
    ['https://h', 'https://h/'],
    ['HTTP://H:80/a', 'http://h/a'],
    ['https://h:8443/a', 'https://h:8443/a'],
    ['http://h:443/', 'http://h:443/'],
    ['ws://h:80/', 'ws://h/'],
    ['wss://h:443/', 'wss://h/'],
    ['ftp://h:21/', 'ftp://h/'],
    ['ftp://h:22/', 'ftp://h:22/'],
    ['git+ssh://h/a', 'git+ssh://h/a'],
    ['git+ssh://h:22/a', 'git+ssh://h:22/a'],
    ['x.y-1://h', 'x.y-1://h/'],
    ['https://h/%61%2E%7e%5F%2D%5A%30', 'https://h/a.~_-Z0'],
    ['https://h/%C3%BC%2F', 'https://h/%c3%bc%2f'],
    ['https://h/a/./b/../c', 'https://h/a/c'],
    ['https://h/a@b', 'https://h/a@b'],
    ['https://h?a@b', 'https://h/'],
    ['https://h/x://y@z', 'https://h/x://y@z'],
    ['https://h/x://y%41', 'https://h/x://yA'],
    ['https://h#a@b%', 'https://h/'],
    ['https://[::1]/', 'https://[::1]/'],
    ['https://[::ffff:102:304]/', 'https://1.2.3.4/'],
    ['https://[::ffff:fffe:fd]/', 'https://255.254.0.253/'],
    ['https://[1::ffff:102:304]/', 'https://[1::ffff:102:304]/'],
    ['https://h./', 'https://h/'],
  ])('P1: %s is %s', (target, shown) => {
    expect(readingOf(target)).toBe(shown);
  });

  const noStart = 'it does not start with a scheme, :// and a host';
  const oddCharacter = 'it holds white space, a control character or a backslash';
  const credentials = 'it carries a user or a password before its host; hand credentials over in another way';

  test.each([
    ['h/a', noStart],
    ['//h/a', noStart],
    ['1https://h', noStart],
    [' https://h', noStart],
    ['https:h', noStart],
    ['https:///h', noStart],
    ['https://', noStart],
    ['https://h/a b', oddCharacter],
    ['https://h/a\\b', oddCharacter],
    ['https://h/\u0000', oddCharacter],
    ['https://h/\u001f', oddCharacter],
    ['https://h/\u007f', oddCharacter],
    ['https://h:99999/', 'it is no URL'],
    ['https://a<b/', 'it is no URL'],
    ['https://u@h/', credentials],
    ['https://:p@h/', credentials],
    ['https://@h/', credentials],
    ['x://u:p@h/', credentials],
    ['https://%68/', 'it has no plain host'],
    ['https://a%62c/', 'it has no plain host'],
    ['x://?', 'it has no plain host'],
  ])('P1: %j is refused, and the reason is told', (target, reason) => {
    expect(readingOf(target)).toBe(reason);
  });

  test.each(['%2f', '%2F', '%5c', '%00', '%25', '%', '%4', '%zz', '//', ';'])(
    'P1: a path with %s may be another one to a server, and an allow of a part does not hold',
    (odd) => {
      const rules = ['allow network.fetch: https://h/a/*', 'allow network.fetch: https://all'];
      expect(answer(`https://h/a/${odd}x`, ...rules)).toBe('ask');
      expect(answer(`https://all/a/${odd}x`, ...rules)).toBe('allow');
      expect(answer(`https://h/a/?${odd}`, ...rules)).toBe('allow');
      expect(answer(`https://h/a/#${odd}`, ...rules)).toBe('allow');
    },
  );
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
    ['https://*', 'https://any.host:8443/', false],
    ['https://*:8443/x', 'https://any.host:8443/x', true],
    ['https://*:*', 'https://any.host:8443/x', true],
    ['https://*/x', 'https://any.host/y', false],
    ['*://example.com', 'ftp://example.com/', true],
    ['*://example.com', 'ftp://example.com:22/', false],
    ['*://example.com', 'odd://example.com/', true],
    ['HTTPS://EXAMPLE.com', 'https://example.com/', true],
    ['https://example.com', 'http://example.com/', false],
    ['https://example.com/*', 'https://example.com/a;b', true],
    ['https://example.com/**', 'https://example.com/a;b', true],
    ['https://example.com/a', 'https://example.com/a', true],
    ['https://example.com/a*', 'https://example.com/b', false],
    ['https://example.com/a', 'https://example.com/a/b', false],
    ['https://example.com:8443', 'https://example.com:844/', false],
    ['https://*.[::1]', 'https://[::1]/', false],
    ['https://[::1]:80/x', 'https://[0::1]:80/x', true],
  ])('P1: an allow of %s covers %s: %s', (pattern, target, isCovered) => {
    expect(answer(target, `allow network.fetch: ${pattern}`)).toBe(isCovered ? 'allow' : 'ask');
  });

  const expected = 'expected scheme://host[:port][/path], as in https://*.example.com/docs/*';

  test.each([
    ['example.com', expected],
    ['https//example.com', expected],
    ['https://example.com/a?b', expected],
    ['https://example.com/a#b', expected],
    ['https://ex*mple.com', expected],
    ['https://example.com:http', expected],
    ['https://a.*.com', expected],
    ['x https://example.com', expected],
    ['https://', 'expected a host'],
    ['https://*.', 'expected a host'],
    ['https://*example.com', expected],
    ['https://u@example.com', 'it carries a user or a password before its host'],
    ['https://a b', 'it holds white space, a control character or a backslash'],
  ])('P1: %s is no pattern, and the reason is told', (pattern, reason) => {
    const problem = `the target "${pattern}" can't be matched: ${reason}`;
    expect(() => engineOf([`allow network.fetch: ${pattern}`])).toThrow(problem);
  });

  test('P1: a deny of one host or path leaves the others alone', () => {
    const rules = [
      'allow network.fetch',
      'deny network.fetch: https://evil.org',
      'deny http.get: https://h/a',
    ];
    expect(answer('https://good.org/', ...rules)).toBe('allow');
    expect(answer('http://evil.org/', ...rules)).toBe('allow');
    const engine = engineOf([...rules, 'allow http.get: https://h/*']);
    expect(decideOn(engine, 'http.get', 'https://h/b').type).toBe('allow');
    expect(decideOn(engine, 'http.get', 'https://h/a').type).toBe('deny');
    const [finding] = decideOn(engine, 'http.get', 'no URL').findings;
    expect(finding).toMatchObject({ answer: 'deny', target: 'a URL' });
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
