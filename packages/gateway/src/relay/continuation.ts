import { appendItem, applyEdits, outlineMessages } from '@quartermaster/wire';
import { latin1Of } from '../latin1.ts';
import { isBlank } from './block-kinds.ts';
import type { AnswerBlock } from './content.ts';

/**
 * The request that has the provider go on with a turn (Q4): the one that it has answered so far, with that answer behind
 * it, verbatim but for texts that say nothing. `undefined` where a part of the answer could not be put together.
 */
export function continuedRequest(sent: Buffer, blocks: readonly AnswerBlock[]): Buffer | undefined {
  if (blocks.length === 0 || !blocks.every(({ isWhole }) => isWhole)) return undefined;
  const text = latin1Of(sent);
  const read = outlineMessages(text);
  const messages = read.type === 'outline' ? read.outline.messages : undefined;
  if (messages === undefined) return undefined;
  const said = blocks.filter((block) => !isBlank(block)).map(({ json }) => json);
  const answer = `{"role":"assistant","content":[${said.join(',')}]}`;
  return Buffer.from(applyEdits(text, [appendItem(messages.span, text, answer)]), 'latin1');
}
