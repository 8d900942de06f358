import type { Model } from '@quartermaster/catalog';

/** What the API refuses or renders differently by model and what the catalog does not hold (§1.16.2 rows 15–18, §1.13.3). */
export interface ModelRules {
  readonly thinkingTypes: ReadonlySet<string>;
  /** Whether the conversation may end with an assistant message. */
  readonly prefill: boolean;
  /** Whether temperature, top_p and top_k may differ from their defaults. */
  readonly sampling: boolean;
  /** Thinking of earlier turns is left out once a new user message without tool results stands. */
  readonly stripsOldThinking: boolean;
  /** An effort of this value renders like none; `undefined` where the model has no effort. */
  readonly defaultEffort: string | undefined;
  /** Input and `max_tokens` above the window are refused (before 4.5), not cut. */
  readonly refusesOverflow: boolean;
}

/** Every word of effort that the API knows; the catalog says which of them a model takes. */
export const allEfforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const permissive: ModelRules = {
  thinkingTypes: new Set(['adaptive', 'enabled', 'disabled', 'between_tools']),
  prefill: true,
  sampling: true,
  stripsOldThinking: false,
  defaultEffort: undefined,
  refusesOverflow: false,
};

/** Read off the family and version in the id; a model whose id has neither is refused nothing. */
export function rulesOf(model: Model): ModelRules {
  const match = /^claude-(?:(\d)-(\d)-)?([a-z]+)(?:-(\d)(?:-(\d)(?!\d))?)?/.exec(model.id);
  const family = match?.[3];
  const major = match?.[1] ?? match?.[4];
  if (match === null || family === undefined || major === undefined) return permissive;
  const version = Number(`${major}.${match[2] ?? match[5] ?? 0}`);
  return {
    thinkingTypes: thinkingTypes(family, version),
    prefill: version < 4.6,
    sampling: version < 5,
    stripsOldThinking: family === 'opus' ? version < 4.5 : version < 4.6,
    defaultEffort: defaultEffort(version),
    refusesOverflow: version < 4.5,
  };
}

function thinkingTypes(family: string, version: number): ReadonlySet<string> {
  if (version < 4.6) return new Set(['enabled', 'disabled']);
  if (version < 4.7) return new Set(['adaptive', 'enabled', 'disabled']);
  const isAlwaysThinking = version >= 5.5 || family === 'fable' || family === 'mythos';
  return new Set(['adaptive', 'between_tools', ...(isAlwaysThinking ? [] : ['disabled'])]);
}

/** The last column of §1.17. */
function defaultEffort(version: number): string | undefined {
  if (version < 4.7) return undefined;
  if (version === 4.7) return 'xhigh';
  return version >= 5.2 ? 'medium' : 'high';
}
