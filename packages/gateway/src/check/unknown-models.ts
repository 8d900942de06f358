import type { Log } from '../options.ts';

/** Says once for each model that the price table lacks that nothing is deferred for it (CH4). */
export interface UnknownModels {
  tell(modelId: string): void;
}

const maxModels = 256;
/** Ids of models come from clients. */
const maxIdLength = 128;

/** Remembers a few hundred models; what comes beyond is not told. */
export function createUnknownModels(log: Log): UnknownModels {
  const told = new Set<string>();
  return {
    tell(modelId) {
      const model = modelId.slice(0, maxIdLength);
      if (told.has(model) || told.size >= maxModels) return;
      told.add(model);
      log.warn({ model }, 'the price table does not know this model, so no tool is deferred for it');
    },
  };
}
