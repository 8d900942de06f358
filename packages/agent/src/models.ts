export { createModelCache } from './models/model-cache.ts';
export type { CachedListing, ModelCache } from './models/model-cache.ts';
export {
  createModelDirectory,
  defaultListingAgeMs,
  defaultListingDeadlineMs,
} from './models/model-directory.ts';
export type { ModelDirectory, ModelDirectoryOptions } from './models/model-directory.ts';
export type { ModelLister, ModelProvider } from './models/model-lister.ts';
export { listModelUses } from './models/model-use.ts';
export type { ModelChoices, ModelUse } from './models/model-use.ts';
export type { ResolvedModel } from './models/resolve-model.ts';
