export { catalog, createCatalog } from './catalog.ts';
export { CatalogError } from './catalog-error.ts';
export type { CatalogErrorCode } from './catalog-error.ts';
export type { Catalog, Model, ModelCapabilities, PriceTier, TokenPrices } from './model.ts';
export { parseCatalogOverrides } from './overrides.ts';
export { priceRequest } from './price.ts';
export type { RequestCost, TokenCounts } from './price.ts';
