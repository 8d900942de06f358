import type { Certainty, Pattern } from '../pattern.ts';
import type { PermissionAnswer } from '../rule.ts';
import { defaultPortOf, readUrl, unescapeNeedless } from './url-target.ts';
import type { UrlTarget } from './url-target.ts';
import { compileWildcard } from '../wildcard.ts';

/** Scheme, `*` or `*.`, host, port, path. */
const form =
  /^(\*|[a-z][a-z0-9+.-]*):\/\/(\*\.|\*(?=[:/]|$))?([^/:*?#[\]]*|\[[^\]]*\])(?::(\d+|\*))?(\/[^?#]*)?$/i;

/**
 * Compiles `scheme://host[:port][/path]`. The scheme or the host's first label may be `*` (any number of labels; not the
 * domain itself), and so may runs of the path, slashes included; no path means all of the host. Without a port an
 * `allow` holds for the scheme's own port alone, an `ask` or a `deny` for every port.
 */
export function compileUrlPattern(pattern: string, answer: PermissionAnswer): Pattern<UrlTarget> {
  const parts = form.exec(pattern);
  if (parts === null)
    return refuse('expected scheme://host[:port][/path], as in https://*.example.com/docs/*');
  const [, scheme = '', wild, name = '', port, path = '*'] = parts;
  const host = name === '' ? undefined : readUrl(`http://${name}/`);
  if ((host === undefined) !== (wild === '*')) return refuse('expected a host');
  if (host?.type === 'refused') return refuse(host.reason);
  const matchPath = compileWildcard(unescapeNeedless(path));
  const wantedScheme = scheme === '*' ? undefined : `${scheme.toLowerCase()}:`;
  return {
    type: 'pattern',
    match(url): Certainty {
      if (wantedScheme !== undefined && url.scheme !== wantedScheme) return 'no';
      if (!matchesPort(url, port, answer) || !matchesHost(url.host, host?.url.host, wild)) return 'no';
      if (path === '*' || path === '/*' || path === '/**') return 'yes';
      if (url.isPathUnclear) return 'maybe';
      return matchPath(url.path) ? 'yes' : 'no';
    },
  };
}

function matchesHost(host: string, name: string | undefined, wild: string | undefined): boolean {
  if (name === undefined) return true;
  return wild === undefined ? host === name : host.endsWith(`.${name}`);
}

function matchesPort(
  { scheme, port }: UrlTarget,
  wanted: string | undefined,
  answer: PermissionAnswer,
): boolean {
  if (wanted === '*') return true;
  if (wanted !== undefined) return port === Number(wanted);
  return answer !== 'allow' || port === defaultPortOf(scheme);
}

function refuse(reason: string): Pattern<UrlTarget> {
  return { type: 'refused', reason };
}
