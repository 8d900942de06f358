import type { SyntaxNode } from 'unbash';

/** Where no operator can stand in a word without quotes. */
const wordPlaces: ReadonlySet<string | undefined> = new Set<SyntaxNode['type']>([
  'ArrayValue',
  'Assignment',
  'Case',
  'CaseItem',
  'Command',
  'For',
  'HereString',
  'Redirect',
  'Select',
]);

const quotes: ReadonlySet<string | undefined> = new Set<SyntaxNode['type']>([
  'DoubleQuoted',
  'HereDocBody',
  'LocaleString',
]);

/**
 * Whether the parser took for plain text what the text itself says is none: a check of its work that shares nothing with
 * it. (Version 6.0.4 reads `1>(…)` as a word without a command in it.)
 */
export function isMisread(node: SyntaxNode, around: SyntaxNode | undefined): boolean {
  if (node.type === 'Word') {
    const literals = node.parts?.flatMap((part) => (part.type === 'Literal' ? [part.text] : [])) ?? [
      node.text,
    ];
    return wordPlaces.has(around?.type) && literals.some((text) => /[()<>|&;\s]/.test(withoutEscapes(text)));
  }
  if (node.type !== 'Literal') return false;
  const expansion = quotes.has(around?.type) ? /\$[({[]|`/ : /[<>]\(|\$[({["']|[`"']/;
  return expansion.test(withoutEscapes(node.text));
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\[^]/g, '');
}
