import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Usage } from '@quartermaster/wire';

/** Gemini's prompt counts what was read from the cache; its candidates do not count the thoughts. Writes are not told. */
export function readGoogleUsage(told: GenerateContentResponseUsageMetadata | undefined): Usage | undefined {
  if (told === undefined) return undefined;
  const { promptTokenCount: prompt, cachedContentTokenCount: cached } = told;
  const { candidatesTokenCount: said, thoughtsTokenCount: thought, toolUsePromptTokenCount: used } = told;
  return {
    inputTokens: prompt === undefined ? undefined : Math.max(0, prompt - (cached ?? 0)) + (used ?? 0),
    cacheReadTokens: cached,
    cacheWriteShortTokens: undefined,
    cacheWriteLongTokens: undefined,
    outputTokens: said === undefined && thought === undefined ? undefined : (said ?? 0) + (thought ?? 0),
    terms: [],
    raw: told,
  };
}
