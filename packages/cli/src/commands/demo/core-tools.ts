import { declareTool, flag, number, oneOf, type ToolDeclaration } from './declaration.ts';

/** What a coding agent uses in most sessions. All wording is ours. */
export const coreTools: readonly ToolDeclaration[] = [
  declareTool(
    'Agent',
    [
      'Hands a piece of work to a second agent that starts with an empty memory and answers once, with a report.',
      'Give it everything it needs to know: the goal, what has been ruled out already, which files matter, and in which form you want the answer. It cannot ask you anything while it works.',
      'Good for: reading many files to answer one question; looking into two unrelated problems at the same time; a review by fresh eyes. Not for: a single file that you could read yourself, or a change whose result you need before your next step.',
      'Its report is not shown to the user. Tell them in your own words what came of it, and check claims about the code before you build on them.',
      'Several agents may run at once: start them in one message. Two of them must never edit the same file.',
    ],
    {
      description: 'Three to five words that name the piece of work',
      prompt: 'The whole task, written for somebody who has seen none of this conversation',
      'kind?': oneOf(
        ['general', 'explore', 'review'],
        'general may edit; explore only reads; review reads and judges',
      ),
      'background?': flag('Do not wait: the report arrives in a later message'),
    },
  ),
  declareTool(
    'Bash',
    [
      'Runs one command line in a shell and returns what it printed and its exit code. The working folder lasts from call to call; variables and functions do not.',
      'Quote paths that hold spaces. Chain commands that depend on each other with &&. Commands that do not depend on each other go into calls of their own, side by side in one message.',
      'Do not use it to read, search or change files where another tool does that: its output is cut at 30,000 characters, and the user sees less of what you did.',
      'A command that runs longer than its time limit is stopped. Start servers and watchers in the background and look at their output later.',
      'Before you commit: look at the state of the tree and at the difference, stage only the files that belong together, and write a message that says why. Never push, never rewrite history that others have, never skip hooks, unless the user asks for exactly that.',
      'Never run a command that asks a question at the terminal: nobody is there to answer it.',
    ],
    {
      command: 'The command line',
      description: 'What it does, in five to ten words, for the person who has to approve it',
      'timeoutMs?': number(
        'Stop it after so many milliseconds; 120000 unless told otherwise, 600000 at most',
      ),
      'background?': flag('Return at once and let it run; its output can be read later'),
    },
  ),
  declareTool(
    'Edit',
    [
      'Replaces one piece of text in a file by another. The old text has to be found exactly, with its indentation, and only once; add lines around it until it is unique.',
      'Read the file in this conversation first: an edit of a file that has not been read, or that has changed since, is refused.',
      'Keep the style of the file. Do not add comments that tell what you changed. To rename something throughout a file, say that every occurrence is meant.',
    ],
    {
      path: 'Absolute path of the file',
      before: 'The text as it stands in the file',
      after: 'The text that takes its place; it has to differ',
      'everywhere?': flag('Replace every occurrence instead of exactly one'),
    },
  ),
  declareTool(
    'Read',
    [
      'Returns a file with line numbers, 2,000 lines at most, from the top unless you name a line to begin at. Long lines are cut.',
      'Also shows images and the pages of a PDF. A folder is not a file: list it in the shell. A file that is empty says so.',
      'Read the whole of a file that you are about to change. Read several files that you expect to need in one message. Do not read again what you have just read or written.',
    ],
    {
      path: 'Absolute path of the file',
      'line?': number('First line to return, counted from 1'),
      'count?': number('How many lines to return'),
    },
  ),
  declareTool(
    'Skill',
    [
      'Loads written instructions for a kind of work, such as a release, a database migration or the house style of this team, and follows them from there on.',
      'Look at the list of skills in the reminder that comes with the conversation. When one of them fits what the user asks for, load it before anything else, and do not name one that is not listed.',
      'A skill that is loaded already stays loaded; do not load it twice.',
    ],
    { name: 'Name of the skill as listed', 'arguments?': 'What the user added to it' },
  ),
  declareTool(
    'Write',
    [
      'Writes a whole file, in place of whatever was there. A file that exists has to be read first in this conversation.',
      'Prefer an edit for a change of an existing file. Do not create documentation or notes unless the user asked for them, and no file that only restates what you say in your answer.',
    ],
    { path: 'Absolute path of the file', content: 'Everything that the file is to hold' },
  ),
];
