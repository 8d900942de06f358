import type { VerdictRecord, VerdictStore } from '@quartermaster/store';
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
  /** The last verdict, also a stale one; `unknown` where there is none. Starts a check where one is due (CH6). */
  verdict(key: CheckKey, caller: CheckCaller): 'pass' | 'fail' | 'unknown';
  known(): readonly KnownVerdict[];
  /** Waits for the checks in flight. */
  close(): Promise<void>;
}

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
}

export function createChecks(options: {
  readonly store: VerdictStore | undefined;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Log;
}): Checks {
  const { store, clock, ids, log } = options;
  const states = new Map<string, KeyState>();

  function stateOf(key: CheckKey): KeyState {
    const id = JSON.stringify([key.upstream, key.model, key.route]);
    const state = states.get(id) ?? { key, verdict: undefined, inFlight: undefined, askedAtMs: -Infinity };
    states.delete(id);
    states.set(id, state);
    const [oldest] = states.keys();
    if (states.size > maxKeys && oldest !== undefined) states.delete(oldest);
    return state;
  }

  function isStale({ verdict }: KeyState): boolean {
    if (verdict === undefined) return true;
    const ageMs = clock.now() - verdict.checkedAtMs;
    return ageMs < 0 || ageMs >= (verdict.type === 'pass' ? passHoldsMs : failHoldsMs);
  }

  function isDue(state: KeyState): boolean {
    const inFlight = [...states.values()].filter((other) => other.inFlight !== undefined).length;
    const sinceAskedMs = clock.now() - state.askedAtMs;
    const isRested = sinceAskedMs < 0 || sinceAskedMs >= askAgainAfterMs;
    return isStale(state) && state.inFlight === undefined && inFlight < maxInFlight && isRested;
  }

  async function run(state: KeyState, caller: CheckCaller): Promise<void> {
    const { toolName, body } = askForDeferredTool(state.key.model, ids().replaceAll('-', '').slice(0, 16));
    const answer = await sendQuestion(caller, body);
    const outcome = answer === undefined ? 'no-verdict' : judgeAnswer(answer.status, answer.body, toolName);
    log.info({ ...state.key, status: answer?.status ?? 'no answer', outcome }, 'checked tool deferral');
    if (outcome === 'no-verdict') return;
    state.verdict = { type: outcome, checkedAtMs: clock.now() };
    await store?.save({ ...state.key, verdict: outcome, checkedAtMs: state.verdict.checkedAtMs });
  }

  return {
    async load() {
      for (const record of (await store?.load()) ?? []) stateOf(keyOf(record)).verdict = verdictOf(record);
    },
    verdict(key, caller) {
      const state = stateOf(key);
      if (isDue(state)) {
        state.askedAtMs = clock.now();
        state.inFlight = run(state, caller)
          .catch((error: unknown) => {
            log.warn(
              { error: error instanceof Error ? error.name : typeof error },
              'a check could not be finished',
            );
          })
          .finally(() => {
            state.inFlight = undefined;
          });
      }
      return state.verdict?.type ?? 'unknown';
    },
    known: () =>
      [...states.values()].flatMap((state) =>
        state.verdict === undefined
          ? []
          : [
              {
                ...state.key,
                verdict: state.verdict.type,
                checkedAtMs: state.verdict.checkedAtMs,
                isStale: isStale(state),
              },
            ],
      ),
    async close() {
      await Promise.all([...states.values()].map(({ inFlight }) => inFlight ?? Promise.resolve()));
    },
  };
}

function keyOf({ upstream, model, route }: VerdictRecord): CheckKey {
  return { upstream, model, route };
}

function verdictOf({ verdict, checkedAtMs }: VerdictRecord): KeyState['verdict'] {
  return { type: verdict, checkedAtMs };
}
