import { CliError } from '../errors.ts';
import { formatOrigin, type Entry, type Problem } from './entry.ts';
import { maskUrl } from './upstream-url.ts';

/** Says of a value that validation refused what was expected, what came, and where it stands. */
export function explainIssue(
  issue: { readonly path: readonly PropertyKey[]; readonly message: string },
  entries: ReadonlyMap<string, Entry>,
): Problem {
  const path = issue.path.filter((part) => typeof part === 'string').join('.');
  const entry = entries.get(path);
  const message = `${issue.message}, came ${entry === undefined ? 'nothing' : showValue(entry, issue.path)}.`;
  const origin = entry?.origin ?? { type: 'default' };
  // A variable and a flag name the setting themselves.
  return { origin, message: origin.type === 'file' ? `${path}: ${message}` : message };
}

/** All problems in one error, those of a file in the order of its lines. */
export function badConfig(problems: readonly Problem[]): CliError {
  const lines = problems
    .toSorted((a, b) => lineOf(a) - lineOf(b))
    .map(({ origin, message }) => `${formatOrigin(origin)}: ${message}`);
  return new CliError('CLI_BAD_CONFIG', lines.join('\n'));
}

function lineOf({ origin }: Problem): number {
  return origin.type === 'file' ? origin.line : Number.POSITIVE_INFINITY;
}

/** What may be shown of a refused value: variables by their name, URLs without what they hide (case 131). */
function showValue({ value, written }: Entry, path: readonly PropertyKey[]): string {
  const index = path.find((part) => typeof part === 'number');
  const shown: unknown = written ?? (Array.isArray(value) && index !== undefined ? value[index] : value);
  if (shown === null || shown === undefined) return 'nothing';
  return typeof shown === 'string' ? JSON.stringify(maskUrl(shown)) : JSON.stringify(shown);
}
