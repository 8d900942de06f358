import { billedEnds, nearestEnd, recastEnds } from './ledger-ends.ts';
import type {
  CacheWrite,
  PromptArm,
  PromptPart,
  PromptTokens,
  Recast,
  RecastOptions,
} from './ledger-prompt.ts';

/** LE2: output tokens of a search whose own bytes are not known. */
export const tokensPerSearch = 30;

/**
 * Tells from the bill of one prompt what the other would have been billed (LE1). Pure.
 *
 * The provider bills a prompt in render order by three ends: A, of the longest cache hit; B, of the last 1 h mark
 * after it; C, of the last mark. Read A, written for 1 h B − A, for 5 min C − B, fresh the rest. Both prompts have the
 * same marks on the same texts and differ in single parts: the deferred declarations stand in one of them, the names
 * list, the search entry, search calls and the definitions that they loaded in the other. So the other's ends are
 * these ends, moved by what stands before them: a deferred declaration is counted at the tier at which its place in
 * the prefix was really billed, and the names list, the search entry and everything that a search left in the
 * conversation are taken off at the tier of theirs. A tool that was loaded stands in both, here as a declaration, there
 * in the conversation: from its load on it no longer counts, but for the one write of its definition.
 *
 * Where the two prompts' cache histories differ — a first deferred session that can't read what undeferred ones left,
 * or a deferred prefix below the model's minimum — `hits` says so, and the minimum is applied to each.
 *
 * Positions inside the bill are known at its ends only; between them they are `tokens`, scaled to fit.
 */
export function recastPrompt(options: RecastOptions): Recast {
  const { parts, from, billed, hits, minCacheTokens } = options;
  const to = from === 'deferred' ? 'undeferred' : 'deferred';
  const fromEnds = billedEnds(options);
  const toEnds = recastEnds(parts, fromEnds, to);
  const fromHit = hits?.[from] ?? nearestEnd(parts, fromEnds, { arm: from, tokens: billed.cacheReadTokens });
  const toHit = hits?.[to] ?? (fromHit === -1 ? -1 : withMovedMark(parts, fromHit, to));
  const hasWritten = billed.cacheWriteShortTokens + billed.cacheWriteLongTokens > 0;
  const fromWrites = hasWritten
    ? findWrites(parts, fromEnds, { arm: from, after: fromHit, minCacheTokens })
    : [];
  const toWrites = findWrites(parts, toEnds, { arm: to, after: toHit, minCacheTokens });
  const writes = { [from]: fromWrites, [to]: toWrites } as Recast['writes']; // both keys are there
  return { tokens: splitPrompt(toEnds, toHit, toWrites), writes };
}

/** A mark that stood on a loaded tool for the deferred ones after it stands on the last of those in the other prompt. */
function withMovedMark(parts: readonly PromptPart[], hit: number, to: PromptArm): number {
  let end = hit;
  for (let index = hit + 1; parts[index]?.arm === to; index += 1) {
    if (parts[index]?.marks[to] !== undefined) end = index;
  }
  return end;
}

function findWrites(
  parts: readonly PromptPart[],
  ends: readonly number[],
  options: { readonly arm: PromptArm; readonly after: number; readonly minCacheTokens: number },
): readonly CacheWrite[] {
  return parts.flatMap(({ marks }, part) => {
    const life = marks[options.arm];
    const tokens = ends[part] ?? 0;
    return life === undefined || part <= options.after || tokens < options.minCacheTokens
      ? []
      : [{ part, life, tokens }];
  });
}

function splitPrompt(ends: readonly number[], hit: number, writes: readonly CacheWrite[]): PromptTokens {
  const read = ends[hit] ?? 0;
  const longEnd = writes.findLast(({ life }) => life === 'long')?.tokens ?? read;
  const end = writes.at(-1)?.tokens ?? read;
  return {
    inputTokens: (ends.at(-1) ?? 0) - end,
    cacheReadTokens: read,
    cacheWriteShortTokens: end - longEnd,
    cacheWriteLongTokens: longEnd - read,
  };
}
