import type { PromptArm, PromptPart, RecastOptions } from './ledger-prompt.ts';
import { sumPrompt } from './ledger-prompt.ts';

/** A place whose tokens the bill tells: the prefix up to and including `part` has `tokens`. */
interface Anchor {
  readonly part: number;
  readonly tokens: number;
}

/** The billed prompt's tokens up to and including each part: as billed at the bill's ends, scaled to fit between them. */
export function billedEnds(options: RecastOptions): readonly number[] {
  const { parts, from } = options;
  const ends: number[] = [];
  let start = { part: -1, tokens: 0 };
  for (const anchor of anchorsOf(options)) {
    const scale = createScale(
      parts.slice(start.part + 1, anchor.part + 1),
      from,
      anchor.tokens - start.tokens,
    );
    let tokens = start.tokens;
    for (let part = start.part + 1; part <= anchor.part; part += 1) {
      tokens += scale(parts[part]);
      ends.push(tokens);
    }
    start = anchor;
  }
  return ends;
}

/** The other prompt's tokens up to each part: what both show counts as billed, what only it shows by its weight. */
export function recastEnds(
  parts: readonly PromptPart[],
  ends: readonly number[],
  to: PromptArm,
): readonly number[] {
  let tokens = 0;
  return parts.map(({ arm, tokens: weight }, index) => {
    if (arm === 'both') tokens += (ends[index] ?? 0) - (ends[index - 1] ?? 0);
    else if (arm === to) tokens += weight;
    return tokens;
  });
}

/** The part whose end comes nearest to `tokens`; -1 for none of the prompt. */
export function nearestEnd(
  parts: readonly PromptPart[],
  ends: readonly number[],
  { arm, tokens }: { readonly arm: PromptArm; readonly tokens: number },
): number {
  let nearest = -1;
  let distance = tokens;
  for (const [index, end] of ends.entries()) {
    if (!isShownIn(parts[index], arm) || Math.abs(end - tokens) >= distance) continue;
    nearest = index;
    distance = Math.abs(end - tokens);
  }
  return nearest;
}

/** The hit where it is known, the last 1 h mark and the last mark where they wrote, and the end; ascending. */
function anchorsOf({ parts, from, billed, hits }: RecastOptions): readonly Anchor[] {
  const { cacheReadTokens: read, cacheWriteLongTokens: long, cacheWriteShortTokens: short } = billed;
  const hit = hits?.[from] ?? -1;
  const lastLong = parts.findLastIndex(({ marks }) => marks[from] === 'long');
  const lastMark = parts.findLastIndex(({ marks }) => marks[from] !== undefined);
  const anchors = [
    { part: hit, tokens: read },
    ...(long > 0 ? [{ part: lastLong, tokens: read + long }] : []),
    ...(short > 0 ? [{ part: lastMark, tokens: read + long + short }] : []),
  ];
  const ascending: Anchor[] = [];
  for (const anchor of anchors) {
    if (anchor.part > (ascending.at(-1)?.part ?? -1)) ascending.push(anchor);
  }
  const end = parts.length - 1;
  return [...ascending.filter(({ part }) => part < end), { part: end, tokens: sumPrompt(billed) }];
}

/** Weighs the parts of one stretch so that they come to `tokens`: guesses give way first, counted parts only if they must. */
function createScale(
  stretch: readonly PromptPart[],
  arm: PromptArm,
  tokens: number,
): (part: PromptPart | undefined) => number {
  const shown = stretch.filter((part) => isShownIn(part, arm));
  const weigh = (parts: readonly PromptPart[]): number => parts.reduce((sum, part) => sum + part.tokens, 0);
  const counted = weigh(shown.filter(({ isCounted }) => isCounted));
  const guessed = weigh(shown.filter(({ isCounted }) => !isCounted));
  const keepsCounted = guessed > 0 && tokens >= counted;
  const countedFactor = keepsCounted ? 1 : tokens / (counted + guessed || 1);
  const guessedFactor = keepsCounted ? (tokens - counted) / guessed : countedFactor;
  return (part) => {
    if (!isShownIn(part, arm) || part === undefined) return 0;
    return part.tokens * (part.isCounted ? countedFactor : guessedFactor);
  };
}

function isShownIn(part: PromptPart | undefined, arm: PromptArm): boolean {
  return part !== undefined && (part.arm === 'both' || part.arm === arm);
}
