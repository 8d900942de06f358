import { explainFinding } from '@quartermaster/agent/permissions';
import type { AskPerson } from '@quartermaster/agent/permissions';
import { createAskDialog } from '@quartermaster/agent/turns';
import type { Surroundings } from '../../surroundings.ts';

/** Asks on the terminal, one question at a time; anything but `y` is a no. */
export function createAsker({ err, input }: Pick<Surroundings, 'err' | 'input'>): AskPerson {
  return createAskDialog({
    openDialog({ tool, input: given, question, findings }) {
      const closed = new AbortController();
      const why = findings.map((finding) => `  ${explainFinding(finding)}\n`).join('');
      err.write(`\n${tool} ${JSON.stringify(given)}\n${why}`);
      const answer = input
        .ask(`${question} [y/N] `, closed.signal)
        .then((text) => (/^y(es)?$/i.test(text.trim()) ? ('approve' as const) : ('deny' as const)));
      return { answer, close: () => closed.abort() };
    },
    closeProgress: () => undefined,
    openProgress: () => undefined,
  });
}
