import { CatalogError } from './catalog-error.ts';
import { createCatalog } from './catalog.ts';
import type { Catalog, Model, ModelCapabilities, PriceTier, TokenPrices } from './model.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const modelKeys = [
  'provider',
  'prices',
  'tiers',
  'factors',
  'capabilities',
  'billedPerO200k',
  'source',
  'date',
] as const;
const flagKeys = ['toolSearch', 'systemMessages', 'boundThinking', 'forcedToolChoice'] as const;
const countKeys = ['minCacheTokens', 'contextTokens', 'maxOutputTokens'] as const;
const priceKeys = ['input', 'output', 'cacheRead', 'cacheWriteShort', 'cacheWriteLong'] as const;

/**
 * `base` with the rows of an override file, `{"models": {"<id>": {...}}}`. A row names what differs from the known
 * model (dated and undated ids meet as in {@link Catalog.find}); a model that `base` lacks needs `provider`, `prices`
 * and `capabilities` in full. Rows keep the base's order, new ones follow in the file's.
 *
 * @throws CatalogError naming the path of the wrong key.
 */
export function parseCatalogOverrides(json: unknown, base: Catalog): Catalog {
  const file = readObject(json, '', ['models']);
  const rows = readObject(file['models'] ?? {}, 'models');
  const changed = new Map<string, Model>();
  for (const [id, row] of Object.entries(rows)) {
    const known = base.find(id);
    changed.set(known?.id ?? id, readModel(row, `models.${id}`, { known, id }));
  }
  const kept = base.models.map((model) => changed.get(model.id) ?? model);
  const added = [...changed.values()].filter((model) => !kept.includes(model));
  return createCatalog([...kept, ...added]);
}

function readModel(
  value: unknown,
  path: string,
  { known, id }: { readonly known: Model | undefined; readonly id: string },
): Model {
  const row = readObject(value, path, modelKeys);
  return {
    id: known?.id ?? id,
    provider: readOr(row, path, 'provider', known?.provider, readProvider),
    prices: readPrices(row['prices'], `${path}.prices`, known?.prices),
    tiers: readOr(row, path, 'tiers', known?.tiers ?? [], readTiers),
    factors: { ...known?.factors, ...readOr(row, path, 'factors', {}, readFactors) },
    capabilities: readCapabilities(row['capabilities'], `${path}.capabilities`, known?.capabilities),
    billedPerO200k: readOr(row, path, 'billedPerO200k', known?.billedPerO200k ?? 1, readPositive),
    source: readOr(row, path, 'source', 'override file', readText),
    date: readOr(row, path, 'date', known?.date ?? '', readText),
  };
}

function readPrices(value: unknown, path: string, known?: TokenPrices): TokenPrices {
  const row = readObject(value ?? {}, path, priceKeys);
  return {
    input: readOr(row, path, 'input', known?.input, readAmount),
    output: readOr(row, path, 'output', known?.output, readAmount),
    cacheRead: readOr(row, path, 'cacheRead', known?.cacheRead, readAmount),
    cacheWriteShort: readOr(row, path, 'cacheWriteShort', known?.cacheWriteShort, readAmount),
    cacheWriteLong:
      row['cacheWriteLong'] === undefined
        ? known?.cacheWriteLong
        : readAmount(row['cacheWriteLong'], `${path}.cacheWriteLong`),
  };
}

function readTiers(value: unknown, path: string): readonly PriceTier[] {
  if (!Array.isArray(value)) throw badValue(path, 'an array of tiers', value);
  const tiers = value.map((item: unknown, index): PriceTier => {
    const at = `${path}.${index}`;
    const row = readObject(item, at, ['aboveInputTokens', 'prices']);
    return {
      aboveInputTokens: readOr(row, at, 'aboveInputTokens', undefined, readCount),
      prices: readPrices(row['prices'], `${at}.prices`),
    };
  });
  return tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);
}

function readFactors(value: unknown, path: string): Model['factors'] {
  const entries = Object.entries(readObject(value, path));
  return Object.fromEntries(entries.map(([term, factor]) => [term, readPositive(factor, `${path}.${term}`)]));
}

function readCapabilities(value: unknown, path: string, known?: ModelCapabilities): ModelCapabilities {
  const row = readObject(value ?? {}, path, [...flagKeys, 'efforts', ...countKeys]);
  const flag = (key: (typeof flagKeys)[number]): boolean => readOr(row, path, key, known?.[key], readFlag);
  const count = (key: (typeof countKeys)[number]): number => readOr(row, path, key, known?.[key], readCount);
  return {
    toolSearch: flag('toolSearch'),
    systemMessages: flag('systemMessages'),
    boundThinking: flag('boundThinking'),
    forcedToolChoice: flag('forcedToolChoice'),
    efforts: readOr(row, path, 'efforts', known?.efforts, readWords),
    minCacheTokens: count('minCacheTokens'),
    contextTokens: count('contextTokens'),
    maxOutputTokens: count('maxOutputTokens'),
  };
}

/** The row's own value, else `fallback`; with neither the key is missing. */
// oxlint-disable-next-line max-params -- a reader of one member: where it stands, its name, its default, its type
function readOr<Value>(
  row: JsonObject,
  path: string,
  key: string,
  fallback: Value | undefined,
  read: (value: unknown, path: string) => Value,
): Value {
  const at = `${path}.${key}`;
  const value = row[key];
  if (value !== undefined) return read(value, at);
  if (fallback !== undefined) return fallback;
  throw new CatalogError(
    'CATALOG_MISSING_KEY',
    at,
    `Catalog override: ${at} is missing; a model that the built-in table lacks states it.`,
  );
}

function readObject(value: unknown, path: string, keys?: readonly string[]): JsonObject {
  if (!isObject(value)) throw badValue(path === '' ? 'the file' : path, 'an object', value);
  const unknown = keys && Object.keys(value).find((key) => !keys.includes(key));
  if (unknown === undefined) return value;
  const at = path === '' ? unknown : `${path}.${unknown}`;
  throw new CatalogError(
    'CATALOG_UNKNOWN_KEY',
    at,
    `Catalog override: ${at} is not a key; known here: ${keys?.join(', ')}.`,
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readProvider(value: unknown, path: string): Model['provider'] {
  if (value === 'anthropic' || value === 'openai') return value;
  throw badValue(path, '"anthropic" or "openai"', value);
}

function readText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw badValue(path, 'a string', value);
}

function readWords(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
  throw badValue(path, 'an array of strings', value);
}

function readFlag(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw badValue(path, 'true or false', value);
}

function readAmount(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw badValue(path, 'a number of at least 0 (USD per million tokens)', value);
}

function readCount(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badValue(path, 'a whole number of tokens', value);
}

function readPositive(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw badValue(path, 'a number above 0', value);
}

function badValue(path: string, expected: string, value: unknown): CatalogError {
  const came = value === undefined ? 'nothing' : JSON.stringify(value);
  return new CatalogError(
    'CATALOG_BAD_VALUE',
    path,
    `Catalog override: ${path} must be ${expected}; got ${came}.`,
  );
}
