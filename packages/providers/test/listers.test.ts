import { createModelDirectory } from '@quartermaster/agent/models';
import type { ModelLister } from '@quartermaster/agent/models';
import { createSecret, loadSettings } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import {
  ProviderError,
  createAnthropicLister,
  createGoogleLister,
  createModelProviders,
  createOpenaiLister,
  providerErrors,
} from '@quartermaster/providers';
import type { ListerOptions } from '@quartermaster/providers';
import { createSimulator } from '@quartermaster/simulator';
import { describe, expect, test } from 'vitest';
import { lureSdks } from './support/sdk-environment.ts';
import { listen } from './support/upstream.ts';
import type { Upstream } from './support/upstream.ts';

const signal = new AbortController().signal;
const apiKey = createSecret('sk-canary-0123456789');

/** It fails as often first. */
function startSimulator({ failures = 0 } = {}): Promise<Upstream> {
  const simulator = createSimulator({
    catalog,
    clock: { now: () => 0 },
    countTokens: (text) => text.length,
    binding: true,
  });
  let left = failures;
  return listen((request, response) => {
    left -= 1;
    if (left < 0) simulator.listener(request, response);
    else response.writeHead(503, { 'retry-after-ms': '1' }).end('{}');
  });
}

/** What each asks for, as much at once as it can get. */
const firstPages: Readonly<Record<string, RegExp>> = {
  Anthropic: /^\/v1\/models\?limit=1000$/,
  OpenAI: /^\/v1\/models$/,
  Google: /^\/v1beta\/models\?pageSize=1000$/,
};

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
    expect(upstream.seen[0]).toMatch(firstPages[vendor] ?? '');
    expect(ids.length).toBeGreaterThan(2);
    expect(ids.every((id) => id.startsWith(prefix))).toBe(true);
    if (vendor !== 'Google') {
      expect(ids).toEqual(catalog.models.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    }
  });

  test('M2: a provider that fails is asked once more, and no third time', async () => {
    await using once = await startSimulator({ failures: 1 });
    expect((await listerAt(once).list({ signal })).length).toBeGreaterThan(2);
    await using twice = await startSimulator({ failures: 2 });
    await expect(listerAt(twice).list({ signal })).rejects.toThrow(`${vendor} did not list its models`);
    expect(twice.seen).toHaveLength(2);
  });

  test('M2: of a provider that can not be reached the error says why', async () => {
    const gone = await startSimulator();
    await gone[Symbol.asyncDispose]();
    await expect(listerAt(gone).list({ signal })).rejects.toThrow(
      new RegExp(`^${vendor} did not list its models: .+: .*ECONNREFUSED 127\\.0\\.0\\.1:\\d+$`),
    );
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
      create({ apiKey, baseUrl: new URL('https://other.example') }),
    ].map(({ scope }) => scope);
    expect(new Set(scopes).size).toBe(4);
    expect(scopes.join()).not.toContain('canary');
    expect(create({ apiKey }).scope).toBe(scopes[0]);
  });
});

test.each([
  ['https://api.anthropic.com/v1/models', createAnthropicLister],
  ['https://api.openai.com/v1/models', createOpenaiLister],
  ['https://generativelanguage.googleapis.com/v1beta/models', createGoogleLister],
])('C4: without a base URL %s is asked', async (address, create) => {
  const asked: string[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = (input) => {
    asked.push(input instanceof Request ? input.url : String(input));
    return Promise.reject(new Error('no network in this test'));
  };
  try {
    await expect(create({ apiKey }).list({ signal })).rejects.toThrow('no network in this test');
  } finally {
    globalThis.fetch = fetch;
  }
  expect(asked.map((each) => each.split('?')[0])).toContain(address);
});

test('the one error of the package is nobody’s but the provider’s, and may pass', () => {
  expect(new ProviderError('PROVIDER_LISTING_FAILED', 'x').name).toBe('ProviderError');
  expect(providerErrors.PROVIDER_LISTING_FAILED).toMatchObject({ fault: 'upstream', retryable: true });
});

test('M4: what Google lists without a name is passed over', async () => {
  await using upstream = await listen((_, response) => {
    const models = [{ name: 'models/gemini-a' }, {}, { name: 'tuned/models/x' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ models }));
  });
  const ids = await createGoogleLister({ apiKey, baseUrl: upstream.url }).list({ signal });
  expect(ids).toEqual(['gemini-a', 'tuned/models/x']);
});

test('C4: a base URL in the environment that an SDK would read leads nowhere else', async () => {
  await using wanted = await startSimulator();
  await using other = await startSimulator();
  using _lure = lureSdks(other.url);
  for (const [, create, base] of listers) {
    await create({ apiKey, baseUrl: new URL(base, wanted.url) }).list({ signal });
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

  test.each([
    ['anthropic', 'claude-next'],
    ['openai', 'gpt-next'],
    ['openai', 'chatgpt-next'],
    ['openai', 'o9-next'],
    ['openai', 'ft:gpt-next'],
    ['google', 'gemini-next'],
  ])('M3: without listings, %s is who is asked for %s', async (name, model) => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, {});
    expect(await resolve(model)).toMatchObject([{ provider: name, id: model }]);
    expect(warnings).toEqual([expect.stringContaining(`none called "${model}" is known here`)]);
    expect(upstream.seen).toEqual([]);
  });

  test.each(['x-claude-next', 'my-gpt-next', 'o-next', 'xo9', 'llama'])(
    'M3: without listings, nobody is asked for %s',
    async (model) => {
      await using upstream = await startSimulator();
      const { resolve } = await directoryOver(upstream, {});
      await expect(resolve(model)).rejects.toThrow(`no provider knows a model "${model}"`);
    },
  );

  test('M3: a date that nobody lists is not made up, and one that is listed need not be written', async () => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, {});
    const dated = catalog.models.filter(({ id }) => /-20\d{6}$/.test(id));
    expect(dated.length).toBeGreaterThan(0);
    await resolve(...dated.map(({ id }) => id.replace(/-20\d{6}$/, '')));
    expect(warnings).toEqual([]);
    await resolve('claude-opus-5-5-20991231');
    expect(warnings).toHaveLength(1);
  });

  test('M2: without a listing, the models that Google is known to have are known', async () => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, {});
    await resolve('gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash', 'gemini-3.5-flash');
    await resolve('gemini-3.5-flash-lite', 'gemini-3.1-flash-lite', 'gemini-2.5-flash-lite');
    expect(warnings).toEqual([]);
  });

  // From the vendors' pages of deprecations.
  test.each([
    ['claude-sonnet-4-0', 'claude-sonnet-4-6'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4-6'],
    ['claude-opus-4-0', 'claude-opus-4-8'],
    ['claude-opus-4-20250514', 'claude-opus-4-8'],
    ['gpt-3.5-turbo', 'gpt-5.6-terra'],
    ['gpt-4', 'gpt-5.6-sol'],
    ['gpt-4-turbo', 'gpt-5.6-sol'],
    ['o1', 'gpt-5.6-sol'],
    ['o3-mini', 'gpt-5.6-sol'],
    ['o4-mini', 'gpt-5.6-terra'],
    ['gemini-2.5-pro', 'gemini-3.8-flash'],
    ['gemini-2.5-flash', 'gemini-3.5-flash-lite'],
  ])('M3: %s is retired, and its successor %s is known without a listing', async (retired, successor) => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, {});
    expect(await resolve(retired)).toMatchObject([{ id: successor }]);
    expect(warnings).toEqual([`agent root: ${retired} is deprecated, and ${successor} is used instead.`]);
  });

  test('M3: retired names become what the vendor names in their place', async () => {
    await using upstream = await startSimulator();
    const { resolve, warnings } = await directoryOver(upstream, { ANTHROPIC_API_KEY: 'k' });
    const resolved = await resolve('claude-opus-4-20250514', 'o4-mini', 'gemini-2.5-pro');
    expect(resolved.map(({ id }) => id)).toEqual(['claude-opus-4-8', 'gpt-5.6-terra', 'gemini-3.8-flash']);
    expect(warnings).toHaveLength(3);
  });
});
