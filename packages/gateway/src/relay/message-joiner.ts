import {
  applyEdits,
  asciiJson,
  type Edit,
  findItems,
  findMember,
  removeItems,
  replaceValue,
  type Span,
  WireError,
} from '@quartermaster/wire';
import { type JsonObject, objectOf } from '../json.ts';
import { textOf } from '../latin1.ts';
import { type AnswerBlock, memberText, readBlock, wholeOf } from './content.ts';
import { isSearchBlock } from './block-kinds.ts';
import { sumUsage } from './usage-sum.ts';

/** One answer that came whole; all texts are latin1 JSON. */
export interface WholeMessage {
  readonly text: string;
  /** Of its content, brackets included, and of each block in it. */
  readonly content: Span;
  readonly spans: readonly Span[];
  readonly blocks: readonly AnswerBlock[];
  readonly stopReason: string | undefined;
  readonly usage: JsonObject;
  /** All of it. */
  readonly parsed: JsonObject;
}

/** `undefined`: no message, or not one that can be read. */
export function readMessage(text: string): WholeMessage | undefined {
  try {
    const parsed = objectOf(JSON.parse(textOf(text)));
    if (parsed['type'] !== 'message' || !Array.isArray(parsed['content'])) return undefined;
    const content = findMember(wholeOf(text), text, 'content');
    if (content === undefined) return undefined;
    const spans = findItems(content, text);
    const blocks = spans.map(({ start, end }) => readBlock(text.slice(start, end)));
    const usage = objectOf(parsed['usage']);
    return { text, content, spans, blocks, stopReason: memberText(text, 'stop_reason'), usage, parsed };
  } catch (error) {
    if (error instanceof WireError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The one message that the client gets for the provider's answers to a turn: the last one, with the blocks of those
 * before it and the sum of their usage (Q4), and without searches where the client is not to see them (Q2). Byte for byte
 * the provider's where there is one answer and nothing to leave out.
 */
export function joinMessages(answers: readonly WholeMessage[], strips: boolean): string {
  const last = answers.at(-1);
  if (last === undefined) return '';
  const isLeftOut = (block: AnswerBlock | undefined): boolean =>
    strips && block !== undefined && isSearchBlock(block);
  const { text, content, spans } = last;
  if (answers.length === 1) {
    const leftOut = spans.filter((_, index) => isLeftOut(last.blocks[index]));
    return applyEdits(text, removeItems(text, leftOut));
  }
  const blocks = answers.flatMap((answer) => answer.blocks).filter((block) => !isLeftOut(block));
  const joined = replaceValue(content, `[${blocks.map(({ json }) => json).join(',')}]`);
  return applyEdits(text, [joined, ...usageEdits(answers, text)]);
}

function usageEdits(answers: readonly WholeMessage[], text: string): readonly Edit[] {
  const span = findMember(wholeOf(text), text, 'usage');
  const sum = sumUsage(answers.map(({ usage }) => usage));
  return span === undefined ? [] : [replaceValue(span, asciiJson(sum))];
}
