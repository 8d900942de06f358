import { claudeModels } from './claude-models.ts';
import type { Catalog, Model } from './model.ts';
import { openaiModels } from './openai-models.ts';

/** The built-in table: every model whose price we know, late November 2026. */
export const catalog: Catalog = createCatalog([...claudeModels, ...openaiModels]);

/**
 * A catalog over `models`. Ids are found as they stand, with Claude Code's trailing `[1m]`, and dated or undated
 * (`claude-opus-4-5`, `claude-opus-5-5-20261020`). An exact id wins over one that was only cut to fit.
 */
export function createCatalog(models: readonly Model[]): Catalog {
  const exact = new Map(models.map((model) => [model.id, model]));
  const undated = new Map(models.map((model) => [withoutDate(model.id), model]));
  return {
    models,
    find(id) {
      const plain = id.replace(/\[1m\]$/i, '');
      return exact.get(plain) ?? undated.get(withoutDate(plain));
    },
  };
}

/** Cuts a snapshot date: `-20251101` (Anthropic), `@20251101` (Anthropic on Vertex), `-2026-03-05` (OpenAI). */
function withoutDate(id: string): string {
  return id.replace(/(?:[-@]20\d{6}|-20\d{2}-\d{2}-\d{2})$/, '');
}
