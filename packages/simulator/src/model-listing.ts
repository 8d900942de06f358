import type { IncomingHttpHeaders } from 'node:http';
import type { Catalog, Model } from '@quartermaster/catalog';
import { geminiModels } from './gemini/models.ts';
import type { JsonObject } from './json.ts';

/** A listing's answer: that of one provider, in its own shape. */
export interface ListingAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** What Anthropic's listing holds on a page unless `limit` says otherwise. */
const anthropicPage = 20;
const geminiPage = 50;

/** A path that lists models, and whose listing the request means; `undefined` for other paths. */
export function findListing(
  {
    method,
    url,
    headers,
  }: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders },
  catalog: Catalog,
): ListingAnswer | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const { pathname, searchParams } = new URL(url, 'http://simulator');
  if (pathname === '/v1beta/models') return listGemini(searchParams, headers);
  if (pathname !== '/v1/models') return undefined;
  return asksOpenai(headers) ? listOpenai(catalog) : listAnthropic(searchParams, catalog);
}

/** Both providers have the path: Anthropic's clients always send its version, OpenAI's a bearer token and no version. */
export function asksOpenai(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] === undefined && /^Bearer\s/i.test(headers.authorization ?? '');
}

/** A model in the shape of Anthropic's API. */
export function modelJson(model: Model): JsonObject {
  return { type: 'model', id: model.id, display_name: model.id, created_at: '2026-01-01T00:00:00Z' };
}

function listAnthropic(query: URLSearchParams, catalog: Catalog): ListingAnswer {
  const models = catalog.models.filter(({ provider }) => provider === 'anthropic');
  const start = models.findIndex(({ id }) => id === query.get('after_id')) + 1;
  const page = models.slice(start, start + pageSize(query.get('limit'), anthropicPage));
  return {
    status: 200,
    body: {
      data: page.map(modelJson),
      has_more: start + page.length < models.length,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    },
  };
}

function listOpenai(catalog: Catalog): ListingAnswer {
  const models = catalog.models.filter(({ provider }) => provider === 'openai');
  const data = models.map(({ id }) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'system' }));
  return { status: 200, body: { object: 'list', data } };
}

function listGemini(query: URLSearchParams, headers: IncomingHttpHeaders): ListingAnswer {
  if ((headers['x-goog-api-key'] ?? query.get('key') ?? '') === '') {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    return { status: 403, body: { error: { code: 403, message, status: 'PERMISSION_DENIED' } } };
  }
  const start = Number(query.get('pageToken') ?? 0);
  const end = start + pageSize(query.get('pageSize'), geminiPage);
  const models = geminiModels.slice(start, end).map(({ id, contextTokens }) => ({
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: contextTokens,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }));
  return {
    status: 200,
    body: { models, ...(end < geminiModels.length && { nextPageToken: String(end) }) },
  };
}

function pageSize(asked: string | null, byDefault: number): number {
  const size = Number(asked ?? byDefault);
  return Number.isInteger(size) && size > 0 ? Math.min(size, 1_000) : byDefault;
}
