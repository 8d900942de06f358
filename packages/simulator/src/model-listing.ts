import type { IncomingHttpHeaders } from 'node:http';
import type { Catalog, Model } from '@quartermaster/catalog';
import { ApiError } from './api-error.ts';
import { projectOf } from './gemini/authentication.ts';
import { geminiModels } from './gemini/models.ts';
import type { JsonObject } from './json.ts';
import { requireModel } from './openai/model.ts';

/** A listing's answer: that of one provider, in its own shape. */
export interface ListingAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** What Anthropic's listing holds on a page unless `limit` says otherwise. */
const anthropicPage = 20;
const geminiPage = 50;

/** A path that lists models or shows one, and whose listing the request means; `undefined` for other paths. */
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
  if (pathname === '/v1beta/models' || (pathname === '/v1/models' && asksGoogle(headers))) {
    projectOf({ url, headers });
    return listGemini(searchParams);
  }
  if (pathname === '/v1/models') {
    return asksOpenai(headers) ? listOpenai(catalog) : listAnthropic(searchParams, catalog);
  }
  const id = /^\/v1\/models\/([^/]+)$/.exec(pathname)?.[1];
  if (id === undefined) return undefined;
  return asksOpenai(headers)
    ? { status: 200, body: openaiJson(requireModel({ model: decodeURIComponent(id) }, catalog)) }
    : { status: 200, body: modelJson(requireClaude(decodeURIComponent(id), catalog)) };
}

/** Three providers have the path; only Google's clients send this key. */
export function asksGoogle(headers: IncomingHttpHeaders): boolean {
  return headers['x-goog-api-key'] !== undefined;
}

/** Anthropic's clients always send its version, OpenAI's a bearer token and no version. */
export function asksOpenai(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] === undefined && /^Bearer\s/i.test(headers.authorization ?? '');
}

/** A model in the shape of Anthropic's API. */
function modelJson(model: Model): JsonObject {
  return { type: 'model', id: model.id, display_name: model.id, created_at: '2026-01-01T00:00:00Z' };
}

/** A model in the shape of OpenAI's API. */
function openaiJson({ id }: Model): JsonObject {
  return { id, object: 'model', created: 1_767_225_600, owned_by: 'system' };
}

function requireClaude(id: string, catalog: Catalog): Model {
  const model = catalog.find(id);
  if (model?.provider === 'anthropic') return model;
  throw new ApiError('not_found_error', `model: ${id}`);
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
  return { status: 200, body: { object: 'list', data: models.map(openaiJson) } };
}

function listGemini(query: URLSearchParams): ListingAnswer {
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
