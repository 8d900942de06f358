import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { maskUrl, parseUpstreamUrl } from '../src/config/upstream-url.ts';

function hrefOf(text: string): string {
  const result = parseUpstreamUrl(text);
  return result.type === 'base' ? result.url.href : result.reason;
}

describe('case 11: the usual spellings of a base URL mean one address', () => {
  test.each([
    ['http://h', 'http://h/'],
    ['http://h/', 'http://h/'],
    ['http://h/v1', 'http://h/'],
    ['http://h/v1/', 'http://h/'],
    ['http://h/pre/v1', 'http://h/pre'],
    ['http://h/pre/', 'http://h/pre'],
    ['HTTPS://h:8443/v1beta', 'https://h:8443/'],
    ['http://u:p@h/v1?key=k#part', 'http://u:p@h/'],
  ])('%s', (text, href) => {
    expect(hrefOf(text)).toBe(href);
  });

  test.each([
    ['http://h/v1/messages', 'http://h'],
    ['http://h/v1/messages/count_tokens/', 'http://h'],
    ['http://h/v1/chat/completions', 'http://h'],
    ['http://u:p@h/pre/v1/responses', 'http://h/pre'],
    ['http://h/v1beta/models/g:generateContent', 'http://h/v1beta/models/g'],
  ])('%s is refused as a full endpoint, with the base that was probably meant', (text, base) => {
    expect(hrefOf(text)).toBe(`expected a base URL such as ${base}, not a full endpoint`);
  });

  test.each(['', 'h', 'h:4000', 'ftp://h', 'http://', 'file:///etc/passwd', 'http://h:99999'])(
    '%j is no base URL',
    (text) => {
      expect(hrefOf(text)).toBe('expected a base URL that starts with http:// or https://');
    },
  );
});

describe('case 131: an address is shown without what it hides', () => {
  test.each([
    ['http://u:pw-canary@127.0.0.1:1/v1?key=k-canary&x=y-canary#z', 'http://…@127.0.0.1:1/v1?key=…&x=…#z'],
    ['u:pw-canary@h/path', '…@h/path'],
    ['http://u:pw-canary@pw-canary@h', 'http://…@h'],
    ['http//u:pw-canary@h', '…@h'],
    ['http://h/path', 'http://h/path'],
  ])('%s', (text, shown) => {
    expect(maskUrl(text)).toBe(shown);
  });

  test('no password of a URL is ever shown', () => {
    const password = fc.string({ minLength: 12, unit: 'grapheme-ascii' }).map(encodeURIComponent);
    fc.assert(
      fc.property(password, fc.webUrl({ withQueryParameters: true }), (secret, url) => {
        const shown = maskUrl(url.replace('://', `://user:${secret}@`));
        expect(shown).not.toContain(`${secret}@`);
        expect(shown).not.toContain('user:');
      }),
      { seed: inject('seed') },
    );
  });
});
