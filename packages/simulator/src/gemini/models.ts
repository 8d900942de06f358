import { ApiError } from '../api-error.ts';

/** A model of Google's; the catalog holds no prices of theirs, so none of its requests has a cost. */
export interface GeminiModel {
  readonly id: string;
  readonly contextTokens: number;
  /** Signs its calls, and refuses them without the signature (from Gemini 3 on). */
  readonly signsCalls: boolean;
  /** The shortest prefix that it caches by itself. */
  readonly minCacheTokens: number;
}

/** What a path asks for: `/v1beta/models/{id}:{method}`. */
export interface GeminiTarget {
  readonly version: string;
  readonly id: string;
  readonly method: string;
}

const contextTokens = 1_048_576;
const minCacheTokens = 1_024;

export const geminiModels: readonly GeminiModel[] = [
  { id: 'gemini-3.8-flash', contextTokens, minCacheTokens, signsCalls: true },
  { id: 'gemini-3.5-flash-lite', contextTokens, minCacheTokens, signsCalls: true },
  { id: 'gemini-2.5-flash-lite', contextTokens, minCacheTokens, signsCalls: false },
];

/** The model of a path; a 404 that names version and method where there is none. */
export function requireGeminiModel({ id, version, method }: GeminiTarget): GeminiModel {
  const model = geminiModels.find((known) => known.id === id);
  if (model !== undefined) return model;
  throw new ApiError(
    'not_found_error',
    `models/${id} is not found for API version ${version}, or is not supported for ${method}. Call ListModels to see the ` +
      'list of available models and their supported methods.',
  );
}
