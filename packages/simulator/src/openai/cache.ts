import type { Model } from '@quartermaster/catalog';
import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { FlatPrompt } from '../prompt.ts';
import type { SimulatorState } from '../state.ts';
import type { OpenaiTokens } from './billing.ts';

/** How a prompt meets the cache. */
export interface CacheMeeting {
  readonly tokens: Pick<OpenaiTokens, 'cached' | 'writtenShort' | 'writtenLong'>;
  /** Fills the cache; for the moment when the answer begins. */
  remember(): void;
}

/** Whose prompt it is, and what it asks for. */
interface Asked {
  readonly model: Model;
  readonly body: JsonObject;
  readonly organisation: string;
}

/** Rules 3 and 4 (§2.5). From gpt-5.6 on the cache is written at breakpoints, at a price; before, all by itself. */
export function meetCache(state: SimulatorState, prompt: FlatPrompt, asked: Asked): CacheMeeting {
  const { cacheWriteShort, input } = asked.model.prices;
  return cacheWriteShort > input ? meetBreakpoints(state, prompt, asked) : meetPrefixes(state, prompt, asked);
}

/** The cache before breakpoints reads in steps of this many tokens. */
const cacheStep = 128;
/** About ten minutes; a day where the request asks for it. */
const retentionMs = { default: 600_000, '24h': 86_400_000 } as const;

/** The longest prefix that an earlier prompt of the same organisation shares, whole pieces only. */
function meetPrefixes(
  { prefixes, options: { clock } }: SimulatorState,
  { positions }: FlatPrompt,
  { model, body, organisation }: Asked,
): CacheMeeting {
  const shared = prefixes.read(organisation, positions, clock.now());
  const cached = shared < model.capabilities.minCacheTokens ? 0 : shared - (shared % cacheStep);
  const lifeMs = retentionMs[body['prompt_cache_retention'] === '24h' ? '24h' : 'default'];
  return {
    tokens: { cached, writtenShort: 0, writtenLong: 0 },
    remember: () => prefixes.write(organisation, positions, clock.now() + lifeMs),
  };
}

type Life = keyof typeof lifeMs;

const lifeMs = { '30m': 1_800_000, '12h': 43_200_000 } as const;
/** The server's own breakpoint and the latest three of the client's, or without the server's the latest four. */
const maxWrites = 4;

/**
 * The prompt is read up to the last breakpoint that an earlier one of the same organisation and cache key wrote, to the
 * token, and written from there to its own last one. Without any breakpoint nothing is cached.
 */
function meetBreakpoints(
  { prefixes, options: { clock } }: SimulatorState,
  prompt: FlatPrompt,
  { model, body, organisation }: Asked,
): CacheMeeting {
  const scope = `${organisation}:${textOf(body['prompt_cache_key']) ?? ''}`;
  const { minCacheTokens } = model.capabilities;
  const breakpoints = breakpointsOf(prompt, body).filter(({ at }) => at.tokens >= minCacheTokens);
  const cached = breakpoints.length === 0 ? 0 : prefixes.read(scope, prompt.positions, clock.now());
  const written = { '30m': 0, '12h': 0 };
  let end = cached;
  for (const { at, life } of breakpoints) {
    written[life] += Math.max(0, at.tokens - end);
    end = Math.max(end, at.tokens);
  }
  return {
    tokens: { cached, writtenShort: written['30m'], writtenLong: written['12h'] },
    remember() {
      for (const { at, life } of breakpoints) prefixes.write(scope, [at], clock.now() + lifeMs[life]);
    },
  };
}

interface Breakpoint {
  readonly at: FlatPrompt['positions'][number];
  readonly life: Life;
}

/** Those that the request writes, in the order of the prompt. */
function breakpointsOf({ positions }: FlatPrompt, body: JsonObject): readonly Breakpoint[] {
  const options = isObject(body['prompt_cache_options']) ? body['prompt_cache_options'] : {};
  const byDefault = lifeOf(options['ttl']) ?? '30m';
  const last = positions.at(-1);
  const own = positions.flatMap((at): readonly Breakpoint[] =>
    at.breakpoint === undefined ? [] : [{ at, life: lifeOf(at.breakpoint) ?? byDefault }],
  );
  if (options['mode'] === 'explicit') return own.slice(-maxWrites);
  const kept = own.slice(1 - maxWrites);
  return last === undefined || kept.at(-1)?.at === last ? kept : [...kept, { at: last, life: byDefault }];
}

function lifeOf(ttl: unknown): Life | undefined {
  return ttl === '30m' || ttl === '12h' ? ttl : undefined;
}
