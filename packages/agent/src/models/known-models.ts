import type { ModelProvider } from './model-lister.ts';

/** What is known of one provider's models at a time. */
export interface KnownModels {
  readonly provider: ModelProvider;
  readonly ids: readonly string[];
  /** Whether a model that is not among them does not exist (M2). */
  readonly isAuthoritative: boolean;
}

/** The id under which the model is known, in the spelling that was asked for. */
export function isKnown({ provider, ids }: KnownModels, id: string): boolean {
  return [id, ...(provider.spellings?.(id) ?? [])].some((spelling) => ids.includes(spelling));
}
