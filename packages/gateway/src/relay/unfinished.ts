import { GatewayError } from '../errors.ts';
import { isBlank, isSearchBlock, isThought } from './block-kinds.ts';
import type { AnswerBlock } from './content.ts';

/** Q4: so often one turn is continued upstream. */
export const maxContinuations = 5;

/**
 * Whether a turn that stops so is not for the client to see yet (Q4): the provider paused it, or it ended with searches
 * and nothing to show for them.
 */
export function isUnfinished(stopReason: string | undefined, blocks: readonly AnswerBlock[]): boolean {
  if (stopReason === 'pause_turn') return true;
  return stopReason === 'end_turn' && blocks.some(isSearchBlock) && !blocks.some(isShown);
}

function isShown(block: AnswerBlock): boolean {
  return !isSearchBlock(block) && !isThought(block) && !isBlank(block);
}

/** The provider did not come to an end of the turn (Q4). */
export function unfinished(): GatewayError {
  return new GatewayError(
    'GATEWAY_TURN_UNFINISHED',
    `expected the provider to finish its turn within ${maxContinuations} continuations, and it did not; try again.`,
  );
}
