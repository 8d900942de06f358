import { hash } from 'node:crypto';
import type { CacheLife, CacheWrite, PromptArm } from '@quartermaster/deferral';
import type { LayoutPart } from './layout.ts';

/** One tenant's two prompt caches as the ledger believes them to be: with deferral, and had there been none. */
export interface CacheShadow {
  /** Where the longest hit would end now, in the way the provider looks it up; renews what is read. */
  read(arm: PromptArm, prefixes: Prefixes, nowMs: number): ShadowHit;
  write(arm: PromptArm, prefixes: Prefixes, writes: readonly CacheWrite[], nowMs: number): void;
}

export interface ShadowHit {
  /** A part's index; -1 for none. */
  readonly part: number;
  /** The prefix's billed tokens, as known when it was written. */
  readonly tokens: number;
}

/** The parts of a request with, for each prompt, the hash of everything up to each. */
export interface Prefixes {
  readonly parts: readonly LayoutPart[];
  readonly hashes: Readonly<Record<PromptArm, readonly string[]>>;
}

interface Entry {
  readonly lifeMs: number;
  readonly tokens: number;
  endsAtMs: number;
}

const lifeMs: Readonly<Record<CacheLife, number>> = { short: 300_000, long: 3_600_000 };
/** A request leaves at most four; so this many are an hour of more than one request a second. */
const maxEntries = 20_000;
/** Positions that the provider looks at for each mark, the mark's own first. */
const lookBack = 20;

export function createCacheShadow(): CacheShadow {
  const entries = new Map<string, Entry>();

  function put(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  }

  return {
    read(arm, prefixes, nowMs) {
      const keyOf = (part: number): string => `${arm} ${prefixes.hashes[arm][part]}`;
      const isLive = (part: number): boolean => (entries.get(keyOf(part))?.endsAtMs ?? 0) > nowMs;
      const hits = marksOf(prefixes, arm).map(
        (mark) => positionsBefore(prefixes, arm, mark).find(isLive) ?? -1,
      );
      const part = Math.max(-1, ...hits);
      const entry = part === -1 ? undefined : entries.get(keyOf(part));
      if (entry === undefined) return { part: -1, tokens: 0 };
      put(keyOf(part), { ...entry, endsAtMs: nowMs + entry.lifeMs });
      return { part, tokens: entry.tokens };
    },
    write(arm, { hashes }, writes, nowMs) {
      for (const { part, life, tokens } of writes) {
        const key = `${arm} ${hashes[arm][part]}`;
        put(key, { lifeMs: lifeMs[life], tokens, endsAtMs: nowMs + lifeMs[life] });
      }
    },
  };
}

/** The two prompts' prefix hashes. `salt` is what the cache tells apart beside the texts: the model. */
export function hashPrefixes(
  parts: readonly LayoutPart[],
  { model, hasOwnDeferred, messagesSalt }: { model: string; hasOwnDeferred: boolean; messagesSalt: string },
): Prefixes {
  const isDeferred = hasOwnDeferred || parts.some(({ arm }) => arm !== 'both');
  const chains: Record<PromptArm, string> = {
    deferred: `${model} ${isDeferred}`,
    undeferred: `${model} ${hasOwnDeferred}`,
  };
  const hashes: Record<PromptArm, string[]> = { deferred: [], undeferred: [] };
  let section: LayoutPart['section'] = 'tools';
  for (const part of parts) {
    const salt = part.section === 'messages' && section !== 'messages' ? messagesSalt : '';
    section = part.section;
    const digest = salt + hash('sha1', part.text, 'base64');
    for (const arm of ['deferred', 'undeferred'] as const) {
      if (isShown(part, arm)) chains[arm] = hash('sha1', chains[arm] + digest, 'base64');
      hashes[arm].push(chains[arm]);
    }
  }
  return { parts, hashes };
}

function marksOf({ parts }: Prefixes, arm: PromptArm): readonly number[] {
  return parts.flatMap(({ marks }, index) => (marks[arm] === undefined ? [] : [index]));
}

/** The positions of the look-back from `mark` on; a run of calls or of results is one. */
function positionsBefore({ parts }: Prefixes, arm: PromptArm, mark: number): readonly number[] {
  const found: number[] = [];
  let run: string | undefined;
  for (let index = mark; index >= 0 && found.length < lookBack; index -= 1) {
    const part = parts[index];
    if (part === undefined || !isShown(part, arm)) continue;
    if (part.run === undefined || part.run !== run) found.push(index);
    run = part.run;
  }
  return found;
}

function isShown({ arm: shownIn }: LayoutPart, arm: PromptArm): boolean {
  return shownIn === 'both' || shownIn === arm;
}
