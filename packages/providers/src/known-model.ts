import type { Model } from '@quartermaster/catalog';
import type { LanguageModelOptions } from './model-options.ts';

/** The catalog's row; another provider's model of the same name has other prices, and stays unknown. */
export function knownModel({
  catalog,
  provider,
  id,
}: Pick<LanguageModelOptions, 'catalog' | 'provider' | 'id'>): Model | undefined {
  const model = catalog.find(id);
  return model?.provider === provider ? model : undefined;
}
