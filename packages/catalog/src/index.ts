export type { Catalog, Model, ModelCapabilities, PriceTier, TokenPrices } from './model.ts';
