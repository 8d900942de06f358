import type { CodeExecutor } from '@quartermaster/agent/services';

type ProgramResult = Awaited<ReturnType<CodeExecutor['run']>>;

const ends: Readonly<Record<Exclude<ProgramResult['end'], 'exited'>, string>> = {
  'stopped-for-time': 'It was stopped: it took too long.',
  'stopped-for-output': 'It was stopped: it printed too much.',
  'stopped-by-caller': 'It was stopped, since the turn was cancelled.',
};

/** What a program printed and how it ended, for a model. */
export function describeRun({ end, exitCode, stdout, stderr }: ProgramResult): string {
  const how = end === 'exited' ? describeExit(exitCode) : ends[end];
  const errors = stderr === '' ? '' : `standard error:\n${stderr}`;
  return [stdout, errors, how].filter((part) => part !== '').join('\n');
}

function describeExit(exitCode: number | undefined): string {
  if (exitCode === 0) return '';
  return exitCode === undefined ? 'A signal ended it.' : `Exit code ${exitCode}.`;
}
