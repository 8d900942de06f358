import { hash } from 'node:crypto';
import type { CacheLife, CacheWrite, PromptArm } from '@quartermaster/deferral';
import type { LayoutPart } from './layout.ts';

/** One tenant's two prompt caches as the ledger believes them to be: with deferral, and had there been none. */
export interface CacheShadow {
  /** Where the longest hit would end now, in the way the provider looks it up; renews what is read. */
  read(arm: PromptArm, prefixes: Prefixes, nowMs: number): ShadowHit;
  write(arm: PromptArm, prefixes: Prefixes, writes: readonly CacheWrite[], nowMs: number): void;
  /** Takes back what another process believed; what is known here stands. */
  restore(entries: readonly ShadowEntry[]): void;
  /** What has changed since it was last asked for. */
  takeChanged(): readonly ShadowEntry[];
}

/** One entry of either cache. */
export interface ShadowEntry {
  readonly arm: PromptArm;
  readonly hash: string;
  /** Of the prefix, as known when it was written. */
  readonly tokens: number;
  readonly lifeMs: number;
  readonly endsAtMs: number;
}

/** The longest prefix that the provider is believed to have. */
export interface ShadowHit {
  /** A part's index; -1 for none. */
  readonly part: number;
  /** The prefix's billed tokens, as known when it was written. */
  readonly tokens: number;
}

/** The parts of a request with, for each prompt, the hash of everything up to each. */
export interface Prefixes {
  readonly parts: readonly LayoutPart[];
  /** Of each part's text. */
  readonly digests: readonly string[];
  readonly hashes: Readonly<Record<PromptArm, readonly string[]>>;
}

const lifeMs: Readonly<Record<CacheLife, number>> = { short: 300_000, long: 3_600_000 };
/** A request leaves at most four; so this many are an hour of more than one request a second. */
const maxEntries = 20_000;
/** Positions that the provider looks at for each mark, the mark's own first. */
const lookBack = 20;

/** Empty; the oldest entries give way beyond a bound. */
export function createCacheShadow(): CacheShadow {
  const entries = new Map<string, ShadowEntry>();
  const changed = new Map<string, ShadowEntry>();

  function put(entry: ShadowEntry): void {
    const key = keyOf(entry.arm, entry.hash);
    entries.delete(key);
    entries.set(key, entry);
    changed.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size <= maxEntries || oldest === undefined) return;
    entries.delete(oldest);
    changed.delete(oldest);
  }

  return {
    read(arm, prefixes, nowMs) {
      const entryAt = (part: number): ShadowEntry | undefined =>
        entries.get(keyOf(arm, prefixes.hashes[arm][part] ?? ''));
      const isLive = (part: number): boolean => (entryAt(part)?.endsAtMs ?? 0) > nowMs;
      const hits = marksOf(prefixes, arm).map(
        (mark) => positionsBefore(prefixes, arm, mark).find(isLive) ?? -1,
      );
      const part = Math.max(-1, ...hits);
      const entry = part === -1 ? undefined : entryAt(part);
      if (entry === undefined) return { part: -1, tokens: 0 };
      put({ ...entry, endsAtMs: nowMs + entry.lifeMs });
      return { part, tokens: entry.tokens };
    },
    write(arm, { hashes }, writes, nowMs) {
      for (const { part, life, tokens } of writes) {
        const hashed = hashes[arm][part] ?? '';
        put({ arm, hash: hashed, tokens, lifeMs: lifeMs[life], endsAtMs: nowMs + lifeMs[life] });
      }
    },
    restore(restored) {
      for (const entry of restored) {
        const key = keyOf(entry.arm, entry.hash);
        if (!entries.has(key) && entries.size < maxEntries) entries.set(key, entry);
      }
    },
    takeChanged() {
      const taken = [...changed.values()];
      changed.clear();
      return taken;
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
  const digests: string[] = [];
  let section: LayoutPart['section'] = 'tools';
  for (const part of parts) {
    const salt = part.section === 'messages' && section !== 'messages' ? messagesSalt : '';
    section = part.section;
    const own = hash('sha1', part.text, 'base64');
    digests.push(own);
    const digest = salt + own;
    for (const arm of ['deferred', 'undeferred'] as const) {
      if (isShown(part, arm)) chains[arm] = hash('sha1', chains[arm] + digest, 'base64');
      hashes[arm].push(chains[arm]);
    }
  }
  return { parts, digests, hashes };
}

function keyOf(arm: PromptArm, hashed: string): string {
  return `${arm} ${hashed}`;
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
