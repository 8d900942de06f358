import type {
  ParameterExpansionPart,
  SyntaxNode,
  TestBinaryExpression,
  TestUnaryExpression,
  Word,
} from 'unbash';
import { readWord } from './read-word.ts';

/** A type that is not here came with a later parser, and nobody has judged yet what it runs. */
const knownNodes: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  'AndOr',
  'AnsiCQuoted',
  'ArithmeticBinary',
  'ArithmeticCommand',
  'ArithmeticCommandExpansion',
  'ArithmeticExpansion',
  'ArithmeticFor',
  'ArithmeticGroup',
  'ArithmeticTernary',
  'ArithmeticUnary',
  'ArithmeticWord',
  'ArrayValue',
  'Assignment',
  'BraceExpansion',
  'BraceGroup',
  'Case',
  'CaseItem',
  'CaseModification',
  'Command',
  'CommandExpansion',
  'CompoundList',
  'Coproc',
  'Default',
  'DoubleQuoted',
  'Elif',
  'ExtendedGlob',
  'FileDescriptor',
  'FileDescriptorVariable',
  'For',
  'Function',
  'Glob',
  'HereDoc',
  'HereDocBody',
  'HereDocDelimiter',
  'HereString',
  'If',
  'Literal',
  'LocaleString',
  'Names',
  'Negation',
  'ParameterExpansion',
  'Pipeline',
  'ProcessSubstitution',
  'Redirect',
  'Redirected',
  'Remove',
  'Replace',
  'Script',
  'Select',
  'SimpleExpansion',
  'SingleQuoted',
  'Slice',
  'Statement',
  'Subshell',
  'TestBinary',
  'TestCommand',
  'TestGroup',
  'TestLogical',
  'TestNot',
  'TestUnary',
  'Time',
  'Transform',
  'Unknown',
  'While',
  'Word',
]);

/** Operators of `[[ … ]]` whose operands are arithmetic. */
const arithmeticTests: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

export function isKnownNode(node: SyntaxNode): boolean {
  return knownNodes.has(node.type);
}

/** The variables that the node itself sets. */
export function findAssigned(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case 'Assignment':
      return [node.name];
    case 'For':
    case 'Select':
      return [node.name.text];
    case 'Coproc':
      return [node.name?.text ?? 'COPROC'];
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' && node.operation.operator.endsWith('=')
        ? [node.parameter]
        : [];
    default:
      return [];
  }
}

/** What was written where the node evaluates a text as code: arithmetic over more than numbers, and what is like it. */
export function findEvaluated(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ArithmeticWord':
      return /^\d+$/.test(node.value.trim()) ? undefined : `((${node.value}))`;
    case 'Assignment':
      return isPlainIndex(node.index) ? undefined : node.text;
    case 'ArrayValue':
      return node.elements.find(({ text }) => /^\[.*\]\+?=/s.test(text) && !/^\[\d+\]\+?=/.test(text))?.text;
    case 'ParameterExpansion':
      return isPlainExpansion(node) ? undefined : node.text;
    case 'TestUnary':
      return isPlainQuestion(node) ? undefined : `[[ ${node.operator} ${node.operand.text} ]]`;
    case 'TestBinary':
      return isPlainComparison(node)
        ? undefined
        : `[[ ${node.left.text} ${node.operator} ${node.right.text} ]]`;
    default:
      return undefined;
  }
}

/**
 * Whether something in the node may have been read otherwise than bash reads it. In double quotes and here-documents a
 * single quote quotes in some expansions and not in others, so that what stands between two of them may run.
 */
export function isDoubtful(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
    case 'HereDocBody':
      return (node.parts ?? []).some(({ type, text }) => type === 'ParameterExpansion' && text.includes("'"));
    case 'ArithmeticCommand':
    case 'ArithmeticExpansion':
      return node.expression === undefined;
    case 'ArithmeticCommandExpansion':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined;
    case 'HereDoc':
      return node.closing === undefined;
    default:
      return false;
  }
}

/** Not `${!x}`, which reads a name from a value, nor `${x@P}`, which runs the commands in one. */
function isPlainExpansion({ prefix, index, operation }: ParameterExpansionPart): boolean {
  if (prefix === '!' || !isPlainIndex(index)) return false;
  switch (operation?.type) {
    case 'Transform':
    case 'Unknown':
      return false;
    case 'Slice':
      return isNumber(operation.offset) && (operation.length === undefined || isNumber(operation.length));
    default:
      return true;
  }
}

function isPlainIndex(index: Word | undefined): boolean {
  return index === undefined || isNumber(index) || index.text === '@' || index.text === '*';
}

function isNumber(word: Word): boolean {
  const read = readWord(word);
  return read.type === 'text' && /^\s*-?\d+\s*$/.test(read.text);
}

/** `-v` evaluates the index in a name, `-R` too. */
function isPlainQuestion({ operator, operand }: TestUnaryExpression): boolean {
  const read = readWord(operand);
  return !/^-[vR]$/.test(operator) || (read.type === 'text' && /^\w+$/.test(read.text));
}

function isPlainComparison({ operator, left, right }: TestBinaryExpression): boolean {
  return !arithmeticTests.has(operator) || (isNumber(left) && isNumber(right));
}
