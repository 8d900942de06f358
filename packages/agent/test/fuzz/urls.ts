import fc from 'fast-check';
import { expect } from 'vitest';
import { decideOn, engineOf } from '../engine.ts';
import { leastAllowed } from './options.ts';
import type { FuzzOptions, FuzzTally } from './options.ts';
import { walkTidied } from './path-reference.ts';

const host = fc.constantFrom(
  'good.example',
  'evil.example',
  'sub.good.example',
  '127.0.0.1',
  'xn--bcher-kva.example',
);
const spelling = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `${text}.`,
  (text) => text.replace('.', '%2e'),
  (text) => text.replace('127.0.0.1', '0x7f.1'),
  (text) => text.replace('xn--bcher-kva', 'BÜCHER'),
);
const urlCase = fc.record({
  scheme: fc.constantFrom('https', 'https', 'https', 'HTTPS', 'http', 'ftp'),
  user: fc.constantFrom('', '', '', '', '', 'good.example@', 'u:p@'),
  host,
  spelling,
  port: fc.constantFrom('', '', '', ':443', ':8443', ':'),
  path: fc.array(fc.constantFrom('docs', 'admin', '..', '.', '%2e%2e', '..%2f', 'd%6fcs', ''), {
    maxLength: 4,
  }),
  tail: fc.constantFrom('', '?x=@good.example/', '#@good.example/', '?', '\\'),
  noise: fc.option(
    fc.record({
      at: fc.nat(40),
      text: fc.constantFrom('@', '\\', '/', '?', '#', ':', '\t', '%00', ' ', 'good.example'),
    }),
    { freq: 1 },
  ),
});
const urlRules = [
  'allow network.fetch: https://good.example/docs/*',
  'deny network.fetch: *://evil.example',
  'deny network.fetch: *://127.0.0.1',
];

/** P1: nothing is fetched from a host that any reading of the URL sees elsewhere, nor from another path of it. */
export function checkUrls(options: FuzzOptions): FuzzTally {
  const engine = engineOf(urlRules);
  let allowed = 0;
  fc.assert(
    fc.property(urlCase, ({ scheme, user, host: name, spelling: spell, port, path: parts, tail, noise }) => {
      const plain = `${scheme}://${user}${spell(name)}${port}/docs/${parts.join('/')}${tail}`;
      const text = noise === null ? plain : plain.slice(0, noise.at) + noise.text + plain.slice(noise.at);
      if (decideOn(engine, 'network.fetch', text).type !== 'allow') return;
      allowed += 1;
      // RFC 3986, appendix B; what stands before the last @ is no host.
      const [, , , , authority = '', rawPath = ''] =
        /^(([^:/?#]+):)?(\/\/([^/?#]*))?([^?#]*)/.exec(text) ?? [];
      const hosts = [authority.replace(/^.*@/, '').replace(/:\d*$/, ''), new URL(text).hostname];
      for (const each of hosts) expect(each.toLowerCase().replace(/\.$/, '')).toBe('good.example');
      expect(new URL(text).protocol).toBe('https:');
      expect(new URL(text).port).toBe('');
      expect(walkDecoded(rawPath)).toMatch(/^\/docs(\/|$)/);
    }),
    options,
  );
  expect(allowed).toBeGreaterThan(options.numRuns * leastAllowed);
  return { cases: options.numRuns, allowed };
}

/** The path as the most obliging server reads it: every escape decoded, then every dot resolved. */
function walkDecoded(path: string): string | undefined {
  const decoded = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return walkTidied(decoded.replaceAll('\\', '/'), { links: {}, workspace: '/' });
}
