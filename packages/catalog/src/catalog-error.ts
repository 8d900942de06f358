/** `UNKNOWN_KEY`: a key that no row has; `MISSING_KEY`: a new model's row lacks it; `BAD_VALUE`: wrong type or range. */
export type CatalogErrorCode = 'CATALOG_UNKNOWN_KEY' | 'CATALOG_MISSING_KEY' | 'CATALOG_BAD_VALUE';

/** An override file that can't be taken; `path` names the place in it, such as `models.claude-opus-5-5.prices.input`. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code: CatalogErrorCode;
  readonly path: string;

  constructor(code: CatalogErrorCode, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
