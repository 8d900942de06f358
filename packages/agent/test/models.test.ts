import { getEventListeners } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { AgentError } from '@quartermaster/agent';
import { createModelCache, createModelDirectory, listModelUses } from '@quartermaster/agent/models';
import type {
  ModelCache,
  ModelDirectoryOptions,
  ModelLister,
  ModelProvider,
} from '@quartermaster/agent/models';
import { describe, expect, test } from 'vitest';

const signal = new AbortController().signal;

function listerOf(ids: readonly string[], scope = 'scope'): ModelLister & { readonly asked: () => number } {
  let asked = 0;
  return {
    scope,
    asked: () => asked,
    list: () => {
      asked += 1;
      return Promise.resolve(ids);
    },
  };
}

const down: ModelLister = { scope: 'scope', list: () => Promise.reject(new Error('HTTP 503')) };

function provider(name: string, changes: Partial<ModelProvider> = {}): ModelProvider {
  return { name, staticModels: [`${name}-static`], owns: (id) => id.startsWith(`${name}-`), ...changes };
}

function directoryOf(providers: readonly ModelProvider[], changes: Partial<ModelDirectoryOptions> = {}) {
  const warnings: string[] = [];
  const directory = createModelDirectory({
    providers,
    clock: { now: () => 1_000 },
    warn: (message) => warnings.push(message),
    ...changes,
  });
  const resolve = (...models: readonly string[]) =>
    directory.resolve(
      models.map((model, index) => ({ where: `agent ${index}`, model })),
      { signal },
    );
  const idsOf = async (...models: readonly string[]) => (await resolve(...models)).map(({ id }) => id);
  const faultOf = (...models: readonly string[]): Promise<string> =>
    resolve(...models).then(
      () => 'none',
      (error: unknown) => {
        if (error instanceof AgentError && error.code === 'MODEL_UNKNOWN') return error.message;
        throw error;
      },
    );
  return { directory, warnings, resolve, idsOf, faultOf };
}

describe('M1: one pass over all models of a run', () => {
  test('M1: every place that can name a model is in it', () => {
    const uses = listModelUses({
      settingsDefault: 'a',
      manager: 'b',
      reinitialize: 'c',
      agents: [{ name: 'root', model: 'd' }, { name: 'quiet' }],
      fallbacks: ['e', 'f'],
    });
    expect(uses.map(({ where, model }) => `${where}: ${model}`)).toEqual([
      "the settings' default: a",
      "the manager's option: b",
      'reinitialize: c',
      'agent root: d',
      'fallback 1: e',
      'fallback 2: f',
    ]);
    expect(listModelUses({})).toEqual([]);
  });

  test('M1: one unknown model refuses all, and all unknown ones are named', async () => {
    const { faultOf, idsOf, warnings } = directoryOf([
      provider('px', { lister: listerOf(['px-1']), successors: { 'px-0': 'px-1' } }),
    ]);
    const fault = await faultOf('px-1', 'px-0', 'px-7', 'nosuch');
    expect(fault).toMatch(/agent 2: px has no model "px-7"[^]*agent 3: no provider knows a model "nosuch"/);
    expect(warnings).toEqual([]);
    expect(await idsOf('px-1', 'px-0')).toEqual(['px-1', 'px-1']);
  });

  test('M1: each unknown model has a line of its own', async () => {
    const { faultOf } = directoryOf([
      provider('px', { lister: listerOf(['px-one', 'px-two']) }),
      provider('other'),
    ]);
    expect((await faultOf('px-ope', 'mistral-large')).split('\n')).toEqual([
      'agent 0: px has no model "px-ope". Near names: px-one, px-two.',
      'agent 1: no provider knows a model "mistral-large". ' +
        'Check its spelling, or put its provider before it: one of px, other.',
    ]);
  });

  test('M1: white space around an id is no part of it', async () => {
    expect(await directoryOf([provider('px', { lister: listerOf(['px-1']) })]).idsOf(' px-1\n')).toEqual([
      'px-1',
    ]);
  });

  test('M1: a model that only the listing knows waits for it, and none of another provider answers (case 109)', async () => {
    const answer = Promise.withResolvers<readonly string[]>();
    const slow: ModelLister = { scope: 's', list: () => answer.promise };
    const { resolve } = directoryOf([provider('px', { lister: slow }), provider('other')]);
    const resolved = resolve('px/m1');
    answer.resolve(['m1']);
    expect(await resolved).toEqual([{ where: 'agent 0', provider: 'px', id: 'm1' }]);
  });

  test('case 111: a model that nobody has is refused, and a suffix is part of its name', async () => {
    const { idsOf, faultOf } = directoryOf([provider('px', { lister: listerOf(['px-1', 'px-1-high']) })]);
    expect(await faultOf('px-1', 'nosuch-1')).toContain('no provider knows a model "nosuch-1"');
    expect(await faultOf('px-1-low')).toContain('px has no model "px-1-low"');
    expect(await idsOf('px-1-high')).toEqual(['px-1-high']);
  });

  test('M1: a listing that changed its mind is asked again by discover, and then holds', async () => {
    let ids = ['px-1'];
    const { directory, idsOf, faultOf } = directoryOf([
      provider('px', { lister: { scope: 's', list: () => Promise.resolve(ids) } }),
    ]);
    expect(await idsOf('px-1')).toEqual(['px-1']);
    ids = ['px-2'];
    await directory.discover({ signal });
    expect(await faultOf('px-1')).toContain('px has no model "px-1"');
  });
});

describe('M2: who has authority', () => {
  test('M2: a listing decides over its provider, also against the static list', async () => {
    const { faultOf } = directoryOf([provider('px', { lister: listerOf(['px-1']) })]);
    expect(await faultOf('px-static')).toContain('px has no model "px-static"');
  });

  test("M2: an outage takes nothing from another's listing, and gives nothing to its own static list", async () => {
    const { faultOf, idsOf, warnings } = directoryOf([
      provider('px', { lister: listerOf(['px-1']) }),
      provider('py', { lister: down }),
    ]);
    expect(await faultOf('px-2')).toContain('px has no model "px-2"');
    expect(await idsOf('py-static', 'py-new')).toEqual(['py-static', 'py-new']);
    expect(warnings).toEqual([
      'The models of py could not be listed: HTTP 503',
      expect.stringContaining('none called "py-new" is known'),
    ]);
  });

  test('M2: an empty listing is no authority', async () => {
    const { idsOf, warnings } = directoryOf([provider('px', { lister: listerOf([]) })]);
    expect(await idsOf('px-static', 'px-new')).toEqual(['px-static', 'px-new']);
    expect(warnings).toContainEqual(expect.stringContaining('it listed no model at all'));
  });

  test('M2: without a credential there is nobody to ask, and no warning of an outage', async () => {
    const { idsOf, warnings } = directoryOf([provider('px')]);
    expect(await idsOf('px-static')).toEqual(['px-static']);
    expect(warnings).toEqual([]);
  });
});

describe('M3: names', () => {
  const px = provider('px', {
    lister: listerOf(['px-large', 'px-small-20260101']),
    successors: { 'px-old': 'px-large', 'px-older': 'px-gone' },
    spellings: (id) => (id === 'px-small' ? ['px-small-20260101'] : []),
  });

  test('M3: a deprecated name becomes its successor, and the log says so', async () => {
    const { idsOf, warnings } = directoryOf([px]);
    expect(await idsOf('px-old')).toEqual(['px-large']);
    expect(warnings).toEqual(['agent 0: px-old is deprecated, and px-large is used instead.']);
  });

  test('M3: a deprecated name is its provider’s, whatever it looks like', async () => {
    const named = provider('px', { lister: listerOf(['px-1']), successors: { legacy: 'px-1' } });
    expect(await directoryOf([named, provider('py')]).idsOf('legacy')).toEqual(['px-1']);
  });

  test('M3: in an outage a successor is used, and the log says both', async () => {
    const { idsOf, warnings } = directoryOf([{ ...px, lister: down }]);
    expect(await idsOf('px-older', 'px-new')).toEqual(['px-gone', 'px-new']);
    expect(warnings.slice(1)).toEqual([
      'agent 0: px-older is deprecated, and px-gone is used instead. ' +
        'agent 0: px could not be asked for its models, and none called "px-gone" is known here.',
      'agent 1: px could not be asked for its models, and none called "px-new" is known here.',
    ]);
  });

  test('M3: a successor that is gone too is an error that names both', async () => {
    expect(await directoryOf([px]).faultOf('px-older')).toMatch(/no model "px-gone".*"px-older"/);
  });

  test('M3: an unknown model is named with near names, and never swapped for one of them', async () => {
    const fault = await directoryOf([px]).faultOf('px-larje');
    expect(fault).toContain('px has no model "px-larje"');
    expect(fault).toContain('Near names: px-large');
  });

  test('M3: another spelling of the same model is used as it was asked for', async () => {
    expect(await directoryOf([px]).idsOf('px-small')).toEqual(['px-small']);
  });

  test('M3: a provider before the id decides whose it is; an id of two providers needs one', async () => {
    const { resolve, faultOf } = directoryOf([
      provider('px', { lister: listerOf(['shared', 'org/model']) }),
      provider('py', { lister: listerOf(['shared']) }),
    ]);
    expect(await resolve('py/shared', 'px/org/model', 'org/model')).toMatchObject([
      { provider: 'py', id: 'shared' },
      { provider: 'px', id: 'org/model' },
      { provider: 'px', id: 'org/model' },
    ]);
    expect(await faultOf('shared')).toContain('px/shared or py/shared');
    expect(await faultOf('px/')).toContain("expected a model's id");
    expect(await faultOf('py/org/model')).toContain('py has no model "org/model"');
  });

  test('M3: names that every object has are no models', async () => {
    expect(await directoryOf([px]).faultOf('constructor', 'px/toString')).toMatch(
      /"constructor"[^]*"toString"/,
    );
  });
});

describe('M4: how providers are asked', () => {
  test('M4: all at once, and whoever has not answered by the deadline is out for now', async () => {
    const aborted: unknown[] = [];
    let open = 0;
    let most = 0;
    const hanging: ModelLister = {
      scope: 's',
      list: ({ signal: given }) => {
        open += 1;
        most = Math.max(most, open);
        given.addEventListener('abort', () => aborted.push(given.reason));
        return new Promise(() => {});
      },
    };
    const { idsOf, warnings } = directoryOf(
      [
        provider('px', { lister: hanging }),
        provider('py', { lister: hanging }),
        provider('pz', { lister: listerOf(['pz-1']) }),
      ],
      { deadlineMs: 20 },
    );
    expect(await idsOf('px-static', 'pz-1')).toEqual(['px-static', 'pz-1']);
    expect(most).toBe(2);
    expect(aborted).toHaveLength(2);
    expect(warnings.filter((text) => text.includes('within 20 ms'))).toHaveLength(2);
  });

  test('M4: a cancel ends the discovery, and the next one starts afresh', async () => {
    const cancel = new AbortController();
    let isHanging = true;
    const lister: ModelLister = {
      scope: 's',
      list: () => (isHanging ? new Promise(() => {}) : Promise.resolve(['px-1'])),
    };
    // A deadline that the test does not wait for.
    const { directory, idsOf, warnings } = directoryOf([provider('px', { lister })], { deadlineMs: 60_000 });
    const discovery = directory.discover({ signal: cancel.signal });
    cancel.abort(new Error('enough'));
    await expect(discovery).rejects.toThrow('enough');
    expect(warnings).toEqual([]);
    isHanging = false;
    expect(await idsOf('px-1')).toEqual(['px-1']);
  });

  test('M4: a discovery leaves neither a timer nor a listener behind', async () => {
    const waiting = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { signal } = new AbortController();
    const before = waiting();
    const { directory } = directoryOf([
      provider('px', { lister: listerOf(['px-1']) }),
      provider('py', { lister: down }),
    ]);
    await directory.discover({ signal });
    expect(waiting()).toBe(before);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('M4: while it waits, other work goes on', async () => {
    const answer = Promise.withResolvers<readonly string[]>();
    const { resolve } = directoryOf([provider('px', { lister: { scope: 's', list: () => answer.promise } })]);
    const resolved = resolve('px-1');
    // Were anything blocking, this timer would never fire, and nobody would answer.
    setTimeout(() => answer.resolve(['px-1']), 1);
    expect(await resolved).toHaveLength(1);
  });
});

/** A cache that remembers of which providers it was written. */
function memoryCache(): ModelCache & { readonly written: readonly (readonly string[])[] } {
  let kept: Awaited<ReturnType<ModelCache['read']>> = {};
  const written: (readonly string[])[] = [];
  return {
    written,
    read: () => Promise.resolve(kept),
    write: (listings) => {
      kept = listings;
      written.push(Object.keys(listings));
      return Promise.resolve();
    },
  };
}

describe('M4: the cache', () => {
  async function inFolder(use: (file: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'qm-models-'));
    try {
      await use(path.join(folder, 'new', 'models.json'));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test('M4: a listing is kept on disk with its time, and believed until it is too old', async () => {
    await inFolder(async (file) => {
      const cache = createModelCache(file);
      const lister = listerOf(['px-1']);
      const at = (nowMs: number, asked: ModelLister = lister) =>
        directoryOf([provider('px', { lister: asked })], {
          cache,
          clock: { now: () => nowMs },
          maxAgeMs: 100,
        });
      await at(1_000).idsOf('px-1');
      await at(1_000).idsOf('px-1');
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        listings: { px: { atMs: 1_000, ids: ['px-1'] } },
      });
      expect(await at(1_099).idsOf('px-1')).toEqual(['px-1']);
      expect(await at(1_099).faultOf('px-static')).toContain('px has no model');
      expect(lister.asked()).toBe(1);
      await at(1_100).idsOf('px-1');
      expect(lister.asked()).toBe(2);
      // A clock that was set back.
      await at(900).idsOf('px-1');
      expect(lister.asked()).toBe(3);
    });
  });

  test('M4: a kept listing is believed for a day', async () => {
    const cache = memoryCache();
    const lister = listerOf(['px-1']);
    const dayMs = 86_400_000;
    for (const nowMs of [0, dayMs - 1])
      await directoryOf([provider('px', { lister })], { cache, clock: { now: () => nowMs } }).idsOf('px-1');
    expect(lister.asked()).toBe(1);
    await directoryOf([provider('px', { lister })], { cache, clock: { now: () => dayMs } }).idsOf('px-1');
    expect(lister.asked()).toBe(2);
  });

  test('M4: it is written when somebody has answered, with what others answered before', async () => {
    const cache = memoryCache();
    const discover = (...providers: readonly ModelProvider[]) =>
      directoryOf(providers, { cache }).directory.discover({ signal });
    await discover(provider('px', { lister: down }), provider('py'));
    expect(cache.written).toEqual([]);
    await discover(provider('px', { lister: listerOf(['px-1']) }), provider('py'));
    await discover(provider('px', { lister: listerOf(['px-2']) }), provider('py', { lister: down }));
    expect(cache.written).toEqual([['px']]);
    await discover(provider('px', { lister: down }), provider('py', { lister: listerOf(['py-1']) }));
    expect(cache.written).toEqual([['px'], ['px', 'py']]);
    expect((await cache.read())['px']).toMatchObject({ ids: ['px-1'] });
  });

  test('M4: its file is the user’s alone, and a failed write leaves nothing behind', async () => {
    await inFolder(async (file) => {
      await createModelCache(file).write({});
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const taken = path.dirname(file);
      await expect(createModelCache(taken).write({})).rejects.toThrow('EISDIR');
      expect(await readdir(path.dirname(taken))).toEqual([path.basename(taken)]);
    });
  });

  test('M4: an old listing helps in an outage, without its authority', async () => {
    await inFolder(async (file) => {
      const cache = createModelCache(file);
      await directoryOf([provider('px', { lister: listerOf(['px-1']) })], { cache }).idsOf('px-1');
      const later = directoryOf([provider('px', { lister: down })], { cache, maxAgeMs: 0 });
      expect(await later.idsOf('px-1', 'px-9')).toEqual(['px-1', 'px-9']);
      expect(later.warnings).not.toContainEqual(expect.stringContaining('"px-1"'));
      expect(later.warnings).toContainEqual(expect.stringContaining('"px-9"'));
    });
  });

  test('M4: a listing of another address or credential is none', async () => {
    await inFolder(async (file) => {
      const cache = createModelCache(file);
      await directoryOf([provider('px', { lister: listerOf(['px-1'], 'one') })], { cache }).idsOf('px-1');
      const other = listerOf(['px-2'], 'two');
      expect(await directoryOf([provider('px', { lister: other })], { cache }).idsOf('px-2')).toEqual([
        'px-2',
      ]);
      expect(other.asked()).toBe(1);
    });
  });

  test.each(['', '{', '[]', '{"version":1,"listings":{"px":{"scope":"scope","atMs":1000,"ids":[]}}}'])(
    'M4: a cache that holds %j is no cache, and is written anew',
    async (text) => {
      await inFolder(async (file) => {
        const cache = createModelCache(file);
        await cache.write({});
        await writeFile(file, text);
        expect(
          await directoryOf([provider('px', { lister: listerOf(['px-1']) })], { cache }).idsOf('px-1'),
        ).toEqual(['px-1']);
        expect(await cache.read()).toMatchObject({ px: { ids: ['px-1'] } });
      });
    },
  );

  test('M4: a cache that can not be written costs a warning only', async () => {
    const cache: ModelCache = {
      read: () => Promise.resolve({}),
      write: () => Promise.reject(new Error('disk full')),
    };
    const { idsOf, warnings } = directoryOf([provider('px', { lister: listerOf(['px-1']) })], { cache });
    expect(await idsOf('px-1')).toEqual(['px-1']);
    expect(warnings).toEqual([expect.stringContaining('disk full')]);
  });
});
