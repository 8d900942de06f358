import { type PromptPart, tokensPerSearch } from '@quartermaster/deferral';
import type { Conversation } from '../conversation/read.ts';
import { textOf } from '../latin1.ts';
import type { LayoutPart } from './layout.ts';
import type { Weigher } from './weigher.ts';

/** A part's weight before the model's ratio is applied. */
export interface Weight {
  /** o200k tokens. */
  readonly o200k: number;
  /** Billed tokens beside them. */
  readonly billed: number;
  readonly isCounted: boolean;
}

/** About what the API bills for a picture of a screen; its bytes say nothing of it. */
const imageTokens = 1_600;
/** What a token of conversation is as JSON; only until the bill says how many there were. */
const bytesPerToken = 4;

/**
 * Weighs the parts of a request: tools, system and whatever deferral adds or takes away by their text, the rest of the
 * conversation by its length, except at a thread's first request, where it is short and the model's ratio is measured
 * on it (LE2).
 */
export async function weighParts(
  parts: readonly LayoutPart[],
  conversation: Conversation,
  weigher: Weigher,
): Promise<readonly Weight[]> {
  const { transcript } = conversation;
  const weights: Weight[] = [];
  for (const { loads, section, arm, text, digest, isImage } of parts) {
    if (loads.length > 0) {
      const o200k = await sumOf(loads, (name) => weighDefinition(name, conversation, weigher));
      weights.push({ o200k, billed: text === '' ? tokensPerSearch : 0, isCounted: true });
    } else if (isImage) {
      weights.push({ o200k: 0, billed: imageTokens, isCounted: false });
    } else if (section === 'messages' && arm === 'both' && transcript.hasAssistantTurns) {
      weights.push({ o200k: text.length / bytesPerToken, billed: 0, isCounted: false });
    } else {
      const o200k = weigher.knownPart(digest) ?? (await weigher.weighPart(text, digest));
      weights.push({ o200k, billed: 0, isCounted: true });
    }
  }
  return weights;
}

/** o200k tokens of a tool as a search loads it; of its name alone where the request does not declare it. */
export function weighDefinition(
  name: string,
  { outline, text }: Pick<Conversation, 'outline' | 'text'>,
  weigher: Weigher,
): Promise<number> {
  const { start, end } = outline.tools?.items.find((tool) => tool.name === name)?.span ?? {
    start: 0,
    end: 0,
  };
  return weigher.weigh(`${name} ${textOf(text.slice(start, end))}`);
}

/** The parts as the arithmetic takes them. */
export function toPromptParts(
  parts: readonly LayoutPart[],
  weights: readonly Weight[],
  ratio: number,
): readonly PromptPart[] {
  return parts.map(({ arm, marks }, index) => {
    const { o200k = 0, billed = 0, isCounted = false } = weights[index] ?? {};
    return { arm, marks, tokens: o200k * ratio + billed, isCounted };
  });
}

async function sumOf<Item>(items: readonly Item[], weigh: (item: Item) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const item of items) sum += await weigh(item);
  return sum;
}
