import { defaultMaxResultCharacters } from './turn/result-text.ts';

/** Bounds of every turn. */
export interface RuntimeLimits {
  /** How often a model may be asked in one turn of an agent that does not say itself. */
  readonly maxIterations: number;
  /** Of one result, as the model reads it (RT4). */
  readonly maxResultCharacters: number;
  /** How long a cancelled tool may take to end; then its call counts as interrupted. */
  readonly cancelGraceMs: number;
  /** How long another process waits after this one fell silent; renewed three times in that time. */
  readonly leaseMs: number;
  /** 0–1: how full a model's context may be before the session is compacted (RL3). */
  readonly compactAtShare: number;
  /** How much of the end of a conversation stays word for word when it is compacted. */
  readonly keptTokens: number;
}

/** What holds where an application says nothing. */
export const defaultLimits: RuntimeLimits = {
  maxIterations: 100,
  maxResultCharacters: defaultMaxResultCharacters,
  cancelGraceMs: 5_000,
  leaseMs: 30_000,
  compactAtShare: 0.9,
  keptTokens: 20_000,
};
