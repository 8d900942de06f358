import type { CacheLife, CacheWrite, PromptArm } from '@quartermaster/deferral';
import { setYoungest } from '../drop-oldest.ts';
import { isShown } from './layout.ts';
import type { Prefixes } from './prefixes.ts';

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
  /** Of the prefix; each arm has its own. */
  readonly name: number;
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

const lifeMs: Readonly<Record<CacheLife, number>> = { short: 300_000, long: 3_600_000 };
/** A request leaves at most four; so this many are an hour of more than one request a second. */
const maxEntries = 20_000;
/** Positions that the provider looks at for each mark, the mark's own first. */
const lookBack = 20;

/** Empty; the oldest entries give way beyond a bound. */
export function createCacheShadow(): CacheShadow {
  const entries = new Map<number, ShadowEntry>();
  const changed = new Map<number, ShadowEntry>();

  function put(entry: ShadowEntry): void {
    changed.set(entry.name, entry);
    const oldest = setYoungest(entries, entry.name, entry, maxEntries);
    if (oldest !== undefined) changed.delete(oldest);
  }

  return {
    read(arm, prefixes, nowMs) {
      const entryAt = (part: number): ShadowEntry | undefined =>
        entries.get(prefixes.names[arm][part] ?? Number.NaN);
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
    write(arm, { names }, writes, nowMs) {
      for (const { part, life, tokens } of writes) {
        const name = names[arm][part];
        if (name === undefined) continue;
        put({ arm, name, tokens, lifeMs: lifeMs[life], endsAtMs: nowMs + lifeMs[life] });
      }
    },
    restore(restored) {
      for (const entry of restored) {
        if (!entries.has(entry.name) && entries.size < maxEntries) entries.set(entry.name, entry);
      }
    },
    takeChanged() {
      const taken = [...changed.values()];
      changed.clear();
      return taken;
    },
  };
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
