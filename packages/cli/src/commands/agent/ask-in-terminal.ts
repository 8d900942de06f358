import { explainFinding } from '@quartermaster/agent/permissions';
import type { AskPerson } from '@quartermaster/agent/permissions';
import { createAskDialog } from '@quartermaster/agent/turns';
import type { Surroundings } from '../../surroundings.ts';
import type { HeldOutputs } from './hold-outputs.ts';

/** Asks on the terminal, one question at a time, while `progress` waits; anything but `y` is a no. */
export function createAsker(
  { err, input }: Pick<Surroundings, 'err' | 'input'>,
  progress: Pick<HeldOutputs, 'hold' | 'release'>,
): AskPerson {
  return createAskDialog({
    openDialog({ tool, input: given, findings }) {
      const closed = new AbortController();
      const why = findings.map((finding) => `  ${explainFinding(finding)}\n`).join('');
      err.write(`\n${tool} ${JSON.stringify(given)}\n${why}`);
      const answer = input
        .ask('Allow it? [y/N] ', closed.signal)
        .then((text) => (/^y(es)?$/i.test(text.trim()) ? ('approve' as const) : ('deny' as const)));
      return {
        answer,
        // Also after a cancel, so that what it did is told.
        close() {
          closed.abort();
          progress.release();
        },
      };
    },
    closeProgress: () => progress.hold(),
    openProgress: () => undefined,
  });
}
