import type { ApprovalRequest, AskPerson } from '../permissions/gate.ts';
import { createLock } from './lock.ts';
import { untilAborted } from './until-aborted.ts';

/** The boxes of a surface that a question needs. */
export interface DialogBoxes {
  openDialog(request: ApprovalRequest): Dialog;
  /** Makes room for the dialog. */
  closeProgress(): void;
  openProgress(): void;
}

/** One question on the screen. */
export interface Dialog {
  /** Resolves when the person has answered. */
  readonly answer: Promise<'approve' | 'deny'>;
  /** Called exactly once: after the answer, a failure or a cancel. */
  close(): void;
}

/**
 * Asks by a dialog, one at a time. The progress box is opened again only after an answer: a cancel leaves what comes
 * next to whoever cancelled (R4).
 */
export function createAskDialog(boxes: DialogBoxes): AskPerson {
  const screen = createLock();
  return (request, { signal }) =>
    screen.hold(
      async () => {
        boxes.closeProgress();
        const dialog = boxes.openDialog(request);
        const answer = await untilAborted(dialog.answer, signal).finally(() => dialog.close());
        boxes.openProgress();
        return answer;
      },
      { signal },
    );
}
