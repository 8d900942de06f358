import { forEachChild, parse } from 'unbash';
import type { SyntaxNode } from 'unbash';
import { forgetFolder } from './forget-folder.ts';
import { lookInto } from './look-into.ts';
import { isMisread } from './misread.ts';
import { findAssigned, findEvaluated, isKnownNode, isDoubtful } from './node-facts.ts';
import { readAssignment, readWord } from './read-word.ts';
import { readRedirect } from './redirect.ts';
import { unknownWord } from './shell-use.ts';
import type { CommandLineReading, ShellUse, ShellWord } from './shell-use.ts';

const mostCharacters = 65_536;
/** How deep commands may stand in commands, as in `sh -c "sh -c …"` and `env nice env …`. */
const mostNesting = 8;
/** How deep the parts of a line may stand in one another; the parser reads the whole rest of it again for each. */
const mostDepth = 96;
/** Bash takes their values for arithmetic or for commands, or runs the file that they name. */
const evaluatedVariables: ReadonlySet<string> = new Set(
  'BASHPID BASH_ENV ENV HISTCMD LINENO OPTIND PS4 RANDOM SECONDS SRANDOM'.split(' '),
);

type Script = SyntaxNode & { readonly type: 'Script' };
type Command = SyntaxNode & { readonly type: 'Command' };

interface Walk {
  readonly uses: ShellUse[];
  readonly scripts: Script[];
  readonly doubts: string[];
  readonly nesting: number;
  readonly depth: number;
}

/**
 * Lists what a command line of bash does (P5): every command, wherever it stands, every file that is redirected to or
 * from, every variable that is set. A wrapper such as `env` or `sh -c` stands in the list beside the command in it, and
 * as an unknown command where it can't be looked into. What is not understood for certain makes the line unclear.
 */
export function readCommandLine(text: string): CommandLineReading {
  try {
    return readNested(text, 0);
  } catch (error) {
    if (error instanceof RangeError) return unclear(tooDeep); // the parser's stack is full
    throw error;
  }
}

function readNested(text: string, nesting: number): CommandLineReading {
  if (nesting > mostNesting) return unclear(tooDeep);
  if (text.length > mostCharacters) return unclear(`it has more than ${mostCharacters} characters`);
  if (/[^\P{Cc}\t\n]/u.test(text) || !text.isWellFormed()) return unclear('it holds a control character');
  const walk: Walk = { uses: [], scripts: [], doubts: [], nesting, depth: 0 };
  visit(walk, parse(text));
  // Words are parsed when they are visited, so a script's errors are complete only now.
  if (walk.scripts.some(({ errors = [] }) => errors.length > 0)) {
    return unclear('it is no complete command line of bash');
  }
  const [doubt] = walk.doubts;
  return doubt === undefined ? { type: 'uses', uses: forgetFolder(walk.uses) } : unclear(doubt);
}

function visit(walk: Walk, node: SyntaxNode, around?: SyntaxNode): void {
  if (walk.depth > mostDepth) {
    walk.doubts.push(tooDeep);
    return;
  }
  if (!isKnownNode(node)) walk.doubts.push(`the parser calls a part of it ${node.type}, which is new here`);
  if (isMisread(node, around)) walk.doubts.push('an operator stands in the middle of a word');
  if (node.type === 'Script') walk.scripts.push(node);
  if (node.type === 'Command') readCommand(walk, node);
  if (node.type === 'Redirect') {
    const redirect = readRedirect(node);
    if (redirect.type === 'unclear') walk.doubts.push(redirect.reason);
    else walk.uses.push(...redirect.uses);
  }
  if (isDoubtful(node)) walk.doubts.push('a part of it is not complete, or can be read in two ways');
  for (const name of findAssigned(node)) addEnvironment(walk, name);
  const evaluated = findEvaluated(node);
  // Arithmetic runs the commands in the values that it reads, as in `a[$(…)]`.
  if (evaluated !== undefined) addUnknown(walk, evaluated);
  const inner = { ...walk, depth: walk.depth + 1 };
  forEachChild(node, (child) => visit(inner, child, node));
}

function readCommand(walk: Walk, { name, args }: Command): void {
  if (name === undefined) return;
  const words = args.map((word) => (word.type === 'Word' ? readWord(word) : readAssignment(word)));
  addCommand(walk, [readWord(name), ...words]);
}

/** The command and, where it is a wrapper, what it runs. */
function addCommand(walk: Walk, words: readonly ShellWord[]): void {
  if (walk.nesting > mostNesting) {
    walk.doubts.push(tooDeep);
    return;
  }
  walk.uses.push({ type: 'command', words });
  for (const inner of lookInto(words)) {
    switch (inner.type) {
      case 'command':
        addCommand({ ...walk, nesting: walk.nesting + 1 }, inner.words);
        break;
      case 'text':
        addText(walk, inner.text);
        break;
      case 'environment':
        addEnvironment(walk, inner.name);
        break;
      case 'unknown':
        addUnknown(walk, inner.written);
    }
  }
}

function addText(walk: Walk, text: string): void {
  const reading = readNested(text, walk.nesting + 1);
  if (reading.type === 'unclear') walk.doubts.push(reading.reason);
  else walk.uses.push(...reading.uses);
}

function addEnvironment(walk: Walk, name: string): void {
  walk.uses.push({ type: 'environment', name });
  if (evaluatedVariables.has(name)) addUnknown(walk, name);
}

function addUnknown(walk: Walk, written: string): void {
  walk.uses.push({ type: 'command', words: [unknownWord(written)] });
}

const tooDeep = 'commands stand too deep in one another';

function unclear(reason: string): CommandLineReading {
  return { type: 'unclear', reason };
}
