import type { IncomingHttpHeaders } from 'node:http';

/** The values of `anthropic-beta`: a comma list that may be repeated. */
export function betasOf(headers: IncomingHttpHeaders): readonly string[] {
  const header = headers['anthropic-beta'];
  const joined = Array.isArray(header) ? header.join(',') : (header ?? '');
  return joined
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** Whether a beta of one of the families is on; a family is the name up to its date, whatever that date is. */
export function hasBeta(betas: readonly string[], ...families: readonly string[]): boolean {
  return betas.some((beta) => families.includes(beta.replace(/-\d{4}-\d{2}-\d{2}$/, '')));
}
