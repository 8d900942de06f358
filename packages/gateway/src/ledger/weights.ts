import { type PromptPart, tokensPerSearch } from '@quartermaster/deferral';
import type { Conversation } from '../conversation/read.ts';
import { textOf } from '../latin1.ts';
import type { Prefixes } from './cache-shadow.ts';
import type { LayoutPart } from './layout.ts';
import { renderedText } from './rendered-text.ts';
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
  { parts, digests }: Pick<Prefixes, 'parts' | 'digests'>,
  { outline, text, transcript }: Conversation,
  weigher: Weigher,
): Promise<readonly Weight[]> {
  const definitions = new Map(
    (outline.tools?.items ?? []).map(({ name, span }) => [name, text.slice(span.start, span.end)]),
  );
  const weighLoaded = async (name: string): Promise<number> =>
    weigher.weigh(`${name} ${textOf(definitions.get(name) ?? '')}`);

  async function weigh(part: LayoutPart, digest: string): Promise<Weight> {
    if (part.loads.length > 0) {
      const loaded = await sumOf(part.loads, weighLoaded);
      return { o200k: loaded, billed: part.text === '' ? tokensPerSearch : 0, isCounted: true };
    }
    const isCounted = part.section !== 'messages' || part.arm !== 'both' || !transcript.hasAssistantTurns;
    if (isImage(part.text)) return { o200k: 0, billed: imageTokens, isCounted: false };
    if (!isCounted) return { o200k: part.text.length / bytesPerToken, billed: 0, isCounted };
    const o200k = await weigher.weighMade(`part ${digest}`, () => renderedText(part.text));
    return { o200k, billed: 0, isCounted };
  }

  const weights: Weight[] = [];
  for (const [index, part] of parts.entries()) weights.push(await weigh(part, digests[index] ?? ''));
  return weights;
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

function isImage(text: string): boolean {
  return text.length > 1_024 && /"type"\s*:\s*"image"/.test(text.slice(0, 4_096));
}

async function sumOf<Item>(items: readonly Item[], weigh: (item: Item) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const item of items) sum += await weigh(item);
  return sum;
}
