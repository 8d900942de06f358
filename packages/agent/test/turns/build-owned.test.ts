import { buildOwned } from '@quartermaster/agent/turns';
import type { Owned } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { explore } from '../schedule/explore.ts';
import type { Stage } from '../schedule/explore.ts';

const signal = new AbortController().signal;

/** Resources that note when they are opened and closed. */
function createResources(stage?: Stage, broken: readonly string[] = []) {
  const log: string[] = [];
  const open = async (name: string): Promise<{ close(): Promise<void> }> => {
    await stage?.gate(`open ${name}`);
    if (broken.includes(`open ${name}`)) throw new Error(`${name} did not open`);
    log.push(`open ${name}`);
    return {
      close: async () => {
        await stage?.gate(`close ${name}`);
        log.push(`close ${name}`);
        if (broken.includes(`close ${name}`)) throw new Error(`${name} did not close`);
      },
    };
  };
  return { log, open };
}

describe('buildOwned', () => {
  test('L3: what throws releases what was built before it, the last first', async () => {
    const { log, open } = createResources(undefined, ['open c']);
    const built = buildOwned(
      async (own) => {
        for (const name of ['a', 'b', 'c']) await own(() => open(name));
      },
      { signal },
    );
    await expect(built).rejects.toThrow('c did not open');
    expect(log).toEqual(['open a', 'open b', 'close b', 'close a']);
  });

  test('L3: a constructor that throws at once releases what was built before it', async () => {
    const { log, open } = createResources();
    const built = buildOwned(
      async (own) => {
        await own(() => open('a'));
        await own(() => {
          throw new Error('bad options');
        });
      },
      { signal },
    );
    await expect(built).rejects.toThrow('bad options');
    expect(log).toEqual(['open a', 'close a']);
  });

  test('L3: of two that open at once, a failure or a cancel at any point closes all that opened', async () => {
    const seen = new Set<string>();
    await explore(async (stage) => {
      const { log, open } = createResources(stage, ['open b']);
      const cancel = new AbortController();
      const abort = stage.gate('cancel').then(() => cancel.abort(new Error('cancelled')));
      const built = buildOwned((own) => Promise.all(['a', 'b'].map((name) => own(() => open(name)))), {
        signal: cancel.signal,
      });
      const [outcome] = await Promise.allSettled([built]);
      await abort;
      seen.add(outcome.status === 'rejected' ? String(outcome.reason) : 'built');
      const opened = log.filter((line) => line.startsWith('open')).length;
      expect(log.filter((line) => line.startsWith('close'))).toHaveLength(opened);
    });
    expect(seen).toEqual(new Set(['Error: b did not open', 'Error: cancelled']));
  });

  test('L3: a cancel after everything opened releases all of it', async () => {
    const { log, open } = createResources();
    const cancel = new AbortController();
    const built = buildOwned(
      async (own) => {
        await own(() => open('a'));
        cancel.abort(new Error('cancelled'));
        return 'whole';
      },
      { signal: cancel.signal },
    );
    await expect(built).rejects.toThrow('cancelled');
    expect(log).toEqual(['open a', 'close a']);
  });

  test('L4: close awaits all, also when one fails, and tells; called again it joins the first', async () => {
    await explore(async (stage) => {
      const { log, open } = createResources(stage, ['close b']);
      const owned: Owned<string> = await buildOwned(
        async (own) => {
          for (const name of ['a', 'b', 'c']) await own(() => open(name));
          return 'whole';
        },
        { signal },
      );
      expect(owned.value).toBe('whole');
      const closings = await Promise.allSettled([owned.close(), owned.close()]);
      const reason = { message: 'b did not close' };
      expect(closings).toMatchObject([{ reason }, { reason }]);
      expect(log.slice(3)).toEqual(['close c', 'close b', 'close a']);
    });
  });

  test('L4: two that fail to close are both told, and so is a failure on the way back from a failure', async () => {
    const { open } = createResources(undefined, ['close a', 'close b', 'open c']);
    const build = (names: readonly string[]) =>
      buildOwned(
        async (own) => {
          for (const name of names) await own(() => open(name));
        },
        { signal },
      );
    const { close } = await build(['a', 'b']);
    await expect(close()).rejects.toMatchObject({
      errors: [{ message: 'b did not close' }, { message: 'a did not close' }],
    });
    await expect(build(['a', 'c'])).rejects.toMatchObject({
      errors: [{ message: 'c did not open' }, { message: 'a did not close' }],
    });
  });
});
