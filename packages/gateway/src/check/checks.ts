import type { VerdictRecord, VerdictStore } from '@quartermaster/store';
import { setYoungest } from '../drop-oldest.ts';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import { askForDeferredTool, judgeAnswer } from './question.ts';
import { sendQuestion } from './send.ts';
import type { CheckCaller } from './send.ts';

/** What a verdict speaks about: an endpoint, and so no tenant (CH3). */
export interface CheckKey {
  readonly upstream: string;
  readonly model: string;
  /** The path that is asked, without its query. */
  readonly route: string;
}

/** Live tests that an upstream, model and route support deferral (CH1–CH7). */
export interface Checks {
  load(): Promise<void>;
  /**
   * The last verdict, also a stale one; `unknown` where there is none. Starts a check where one is due (CH6). One from
   * before `sinceMs` counts as none: after a turn-off a fresh check comes first (RF5).
   */
  verdict(key: CheckKey, caller: CheckCaller, sinceMs?: number): 'pass' | 'fail' | 'unknown';
  /** Starts a check because someone asked for one (CH8), however young the verdict. `false`: too many are under way. */
  start(key: CheckKey, caller: CheckCaller): boolean;
  /** Forgets the verdict; what a check in flight comes to is void (CH7). */
  drop(key: CheckKey): void;
  known(): readonly KnownVerdict[];
  /** Waits for the checks in flight, and for what is still to be deleted. */
  close(): Promise<void>;
}

/** A verdict in memory. A stale one still serves, until a new one is there (CH6). */
export interface KnownVerdict extends CheckKey {
  readonly verdict: 'pass' | 'fail';
  readonly checkedAtMs: number;
  readonly isStale: boolean;
}

const hourMs = 3_600_000;
const passHoldsMs = 24 * hourMs;
const failHoldsMs = hourMs / 4;
const maxInFlight = 4;
const maxKeys = 256;
/** An endpoint that gave no verdict is not asked again at once: not every new thread needs to cost a request. */
const askAgainAfterMs = 10_000;

interface KeyState {
  readonly key: CheckKey;
  verdict: { readonly type: 'pass' | 'fail'; readonly checkedAtMs: number } | undefined;
  inFlight: Promise<void> | undefined;
  askedAtMs: number;
  /** Counts how often the verdict was dropped: a check that began before the last time is void. */
  drops: number;
}

/** Verdicts are in memory, bounded (CH3), and written behind; what the store has is read by `load`. */
export function createChecks(options: {
  readonly store: VerdictStore | undefined;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Log;
}): Checks {
  const { store, clock, ids, log } = options;
  const states = new Map<string, KeyState>();
  const deletions = new Set<Promise<void>>();

  function stateOf(key: CheckKey): KeyState {
    const id = idOf(key);
    const state = states.get(id) ?? newState(key);
    setYoungest(states, id, state, maxKeys);
    return state;
  }

  function isStale({ verdict }: KeyState): boolean {
    if (verdict === undefined) return true;
    const ageMs = clock.now() - verdict.checkedAtMs;
    return ageMs < 0 || ageMs >= (verdict.type === 'pass' ? passHoldsMs : failHoldsMs);
  }

  function isRested(state: KeyState): boolean {
    const sinceAskedMs = clock.now() - state.askedAtMs;
    return sinceAskedMs < 0 || sinceAskedMs >= askAgainAfterMs;
  }

  function isFull(): boolean {
    return [...states.values()].filter(({ inFlight }) => inFlight !== undefined).length >= maxInFlight;
  }

  function start(state: KeyState, caller: CheckCaller): boolean {
    if (state.inFlight !== undefined) return true;
    if (isFull()) return false;
    state.askedAtMs = clock.now();
    state.inFlight = run(state, caller)
      .catch((error: unknown) => {
        log.warn({ error: nameOf(error) }, 'a check could not be finished');
      })
      .finally(() => {
        state.inFlight = undefined;
      });
    return true;
  }

  function deleteFrom(verdicts: VerdictStore, key: CheckKey): void {
    const deletion = verdicts
      .delete(key)
      .catch((error: unknown) => {
        const facts = { ...key, error: nameOf(error) };
        log.warn(facts, 'a dropped verdict could not be deleted; a restart would believe it again');
      })
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  }

  async function run(state: KeyState, caller: CheckCaller): Promise<void> {
    const { drops } = state;
    const { toolName, body } = askForDeferredTool(state.key.model, ids().replaceAll('-', '').slice(0, 16));
    const answer = await sendQuestion(caller, body);
    const outcome = answer === undefined ? 'no-verdict' : judgeAnswer(answer.status, answer.body, toolName);
    const isVoid = state.drops !== drops || states.get(idOf(state.key)) !== state;
    log.info(
      { ...state.key, status: answer?.status ?? 'no answer', outcome, isVoid },
      'checked tool deferral',
    );
    if (outcome === 'no-verdict' || isVoid) return;
    state.verdict = { type: outcome, checkedAtMs: clock.now() };
    await store?.save({ ...state.key, verdict: outcome, checkedAtMs: state.verdict.checkedAtMs });
  }

  return {
    async load() {
      for (const record of (await store?.load()) ?? []) stateOf(keyOf(record)).verdict = verdictOf(record);
    },
    verdict(key, caller, sinceMs = -Infinity) {
      const state = stateOf(key);
      const isTooOld = state.verdict !== undefined && state.verdict.checkedAtMs < sinceMs;
      if ((isTooOld || isStale(state)) && isRested(state)) start(state, caller);
      return isTooOld ? 'unknown' : (state.verdict?.type ?? 'unknown');
    },
    start: (key, caller) => start(stateOf(key), caller),
    drop(key) {
      const state = stateOf(key);
      state.verdict = undefined;
      state.drops += 1;
      if (store !== undefined) deleteFrom(store, key);
    },
    known: () => [...states.values()].flatMap((state) => tell(state, isStale(state))),
    async close() {
      await Promise.all([...states.values()].map(({ inFlight }) => inFlight ?? Promise.resolve()));
      await Promise.all(deletions);
    },
  };
}

function tell({ key, verdict }: KeyState, isStale: boolean): readonly KnownVerdict[] {
  if (verdict === undefined) return [];
  return [{ ...key, verdict: verdict.type, checkedAtMs: verdict.checkedAtMs, isStale }];
}

function newState(key: CheckKey): KeyState {
  return { key, verdict: undefined, inFlight: undefined, askedAtMs: -Infinity, drops: 0 };
}

function idOf({ upstream, model, route }: CheckKey): string {
  return JSON.stringify([upstream, model, route]);
}

/** What a request of the model on the path would be checked as. */
export function checkKeyOf(upstream: string, model: string, path: string): CheckKey {
  return { upstream, model, route: path.split('?', 1)[0] ?? path };
}

function keyOf({ upstream, model, route }: VerdictRecord): CheckKey {
  return { upstream, model, route };
}

function verdictOf({ verdict, checkedAtMs }: VerdictRecord): KeyState['verdict'] {
  return { type: verdict, checkedAtMs };
}
