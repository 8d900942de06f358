import { createModelDirectory } from '@quartermaster/agent/models';
import type { ModelLister } from '@quartermaster/agent/models';
import { createSecret, loadSettings } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import {
  createAnthropicLister,
  createGoogleLister,
  createModelProviders,
  createOpenaiLister,
} from '@quartermaster/providers';
import type { ListerOptions } from '@quartermaster/providers';
import { createSimulator } from '@quartermaster/simulator';
import { describe, expect, test } from 'vitest';
import { listen } from './support/upstream.ts';
import type { Upstream } from './support/upstream.ts';

const signal = new AbortController().signal;
const apiKey = createSecret('sk-canary-0123456789');

function startSimulator(): Promise<Upstream> {
  const simulator = createSimulator({
    catalog,
    clock: { now: () => 0 },
    countTokens: (text) => text.length,
    binding: true,
  });
  return listen(simulator.listener);
}

const listers: readonly [string, (options: ListerOptions) => ModelLister, string, string][] = [
  ['Anthropic', createAnthropicLister, '/', 'claude-'],
  ['OpenAI', createOpenaiLister, '/v1', 'gpt-'],
  ['Google', createGoogleLister, '/', 'gemini-'],
];

describe.each(listers)("%s's lister", (vendor, create, base, prefix) => {
  const listerAt = ({ url }: Upstream): ModelLister => create({ apiKey, baseUrl: new URL(base, url) });

  test('M2: lists all models over the SDK of the vendor', async () => {
    await using upstream = await startSimulator();
    const ids = await listerAt(upstream).list({ signal });
    expect(ids.length).toBeGreaterThan(2);
    expect(ids.every((id) => id.startsWith(prefix))).toBe(true);
    if (vendor !== 'Google') {
      expect(ids).toEqual(catalog.models.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    }
  });

  test('M4: leaves no connection open, neither after an answer nor after a refusal', async () => {
    await using upstream = await startSimulator();
    await listerAt(upstream).list({ signal });
    await upstream.closed();
    await using refusing = await listen((_, response) =>
      response.writeHead(401).end('{"error":{"message":"no"}}'),
    );
    await expect(listerAt(refusing).list({ signal })).rejects.toThrow(`${vendor} did not list its models`);
    await refusing.closed();
    expect(upstream.open() + refusing.open()).toBe(0);
  });

  test('M4: ends with its signal, and its connection too', async () => {
    const asked = Promise.withResolvers<void>();
    await using hanging = await listen(() => asked.resolve());
    const cancel = new AbortController();
    const listing = listerAt(hanging).list({ signal: cancel.signal });
    await asked.promise;
    cancel.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
    await hanging.closed();
  });

  test('C3: no error shows the key or the credentials of a URL (case 131)', async () => {
    await using talkative = await listen((request, response) => {
      const said = `bad key ${apiKey.reveal()} at http://u:pw-canary@127.0.0.1${request.url}?key=k-canary`;
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: said } }));
    });
    const error: unknown = await listerAt(talkative)
      .list({ signal })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'PROVIDER_LISTING_FAILED' });
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary');
    expect(String(error)).toContain('bad key');
  });

  test('M4: its scope changes with key and address, and shows neither', () => {
    const scopes = [
      create({ apiKey }),
      create({ apiKey: createSecret('sk-other-canary') }),
      create({ apiKey, baseUrl: new URL('https://canary.example') }),
    ].map(({ scope }) => scope);
    expect(new Set(scopes).size).toBe(3);
    expect(scopes.join()).not.toContain('canary');
    expect(create({ apiKey }).scope).toBe(scopes[0]);
  });
});

test('C4: a base URL in the environment that an SDK would read leads nowhere else', async () => {
  await using wanted = await startSimulator();
  await using other = await startSimulator();
  const variables = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'] as const;
  const before = variables.map((name) => [name, process.env[name]] as const);
  for (const name of variables) process.env[name] = other.url.href;
  try {
    for (const [, create, base] of listers) {
      await create({ apiKey, baseUrl: new URL(base, wanted.url) }).list({ signal });
    }
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  expect(wanted.seen.length).toBeGreaterThan(2);
  expect(other.seen).toEqual([]);
});

describe('the providers together', () => {
  async function directoryOver(upstream: Upstream, env: Record<string, string>) {
    const warnings: string[] = [];
    const { settings } = loadSettings({
      env,
      explicit: {
        anthropicBaseUrl: upstream.url,
        openaiBaseUrl: new URL('/v1', upstream.url),
        googleBaseUrl: upstream.url,
      },
    });
    const providers = createModelProviders(settings, catalog);
    const directory = createModelDirectory({
      providers,
      clock: { now: () => 0 },
      warn: (text) => warnings.push(text),
    });
    const resolve = (...models: readonly string[]) =>
      directory.resolve(
        models.map((model) => ({ where: 'agent root', model })),
        { signal },
      );
    return { resolve, warnings };
  }

  test('M1: models of all three are resolved by what each of them lists', async () => {
    await using upstream = await startSimulator();
    const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' };
    const { resolve, warnings } = await directoryOver(upstream, env);
    const resolved = await resolve(
      'claude-opus-5-5',
      'openai/gpt-5.4',
      'gemini-3.8-flash',
      'claude-opus-4-5',
    );
    expect(resolved.map(({ provider, id }) => `${provider}/${id}`)).toEqual([
      'anthropic/claude-opus-5-5',
      'openai/gpt-5.4',
      'google/gemini-3.8-flash',
      'anthropic/claude-opus-4-5',
    ]);
    expect(warnings).toEqual([]);
    await expect(resolve('claude-opus-5-5-20991231')).rejects.toThrow('anthropic has no model');
    await expect(resolve('gpt-nosuch')).rejects.toThrow('openai has no model');
    // In the static list, and not listed by the provider.
    await expect(resolve('gemini-3.7-flash')).rejects.toThrow('google has no model');
  });

  test('M3: retired names become what the vendor names in their place', async () => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, { ANTHROPIC_API_KEY: 'k' });
    const resolved = await resolve('claude-opus-4-20250514', 'o4-mini', 'gemini-2.5-pro');
    expect(resolved.map(({ id }) => id)).toEqual(['claude-opus-4-8', 'gpt-5.6-terra', 'gemini-3.8-flash']);
    expect(warnings).toHaveLength(3);
  });
});
