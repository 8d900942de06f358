import type { PromptArm } from '@quartermaster/deferral';
import { digestOf } from '../conversation/digest.ts';
import { isShown, type LayoutPart } from './layout.ts';

/** The parts of a request, and what names everything up to each of them in either prompt. */
export interface Prefixes {
  readonly parts: readonly LayoutPart[];
  /** Whole numbers of 53 bits: the same for the same prompt up to there, and no other in practice. */
  readonly names: Readonly<Record<PromptArm, readonly number[]>>;
}

/** What the provider's cache tells apart beside the texts. */
export interface PrefixSalt {
  readonly model: string;
  readonly hasOwnDeferred: boolean;
  /** Of the messages alone: what may change without the loss of tools and system. */
  readonly messages: string;
}

/** Names the prefixes of both prompts. */
export function namePrefixes(parts: readonly LayoutPart[], salt: PrefixSalt): Prefixes {
  const isDeferring = salt.hasOwnDeferred || parts.some(({ arm }) => arm !== 'both');
  const name = (arm: PromptArm, hasDeferred: boolean): readonly number[] =>
    nameArm(parts, { arm, start: `${arm} ${salt.model} ${hasDeferred}`, messages: salt.messages });
  return {
    parts,
    names: { deferred: name('deferred', isDeferring), undeferred: name('undeferred', salt.hasOwnDeferred) },
  };
}

function nameArm(
  parts: readonly LayoutPart[],
  { arm, start, messages }: { readonly arm: PromptArm; readonly start: string; readonly messages: string },
): readonly number[] {
  const chain = createChain();
  chain.add(digestOf(start));
  let isInMessages = false;
  return parts.map((part) => {
    if (!isInMessages && part.section === 'messages') {
      isInMessages = true;
      chain.add(digestOf(messages));
    }
    if (isShown(part, arm)) chain.add(part.digest);
    return chain.name();
  });
}

/** Names a growing sequence of digests: two words of 32 bits, each multiplied on with every digest, and mixed at the end. */
function createChain(): { readonly add: (digest: number) => void; readonly name: () => number } {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  const take = (word: number): void => {
    low = Math.imul(low ^ word, 0x9e3779b1);
    high = Math.imul(high ^ word, 0x5f356495);
  };
  return {
    add(digest) {
      take(digest | 0);
      take(digest / 2 ** 32);
    },
    name() {
      const mixed = mix(low, high);
      return (mix(high, mixed) & 0x1fffff) * 2 ** 32 + (mixed >>> 0);
    },
  };
}

/** Spreads every bit of both words over all of one. */
function mix(word: number, other: number): number {
  return Math.imul(word ^ (word >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
}
