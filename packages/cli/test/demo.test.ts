import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makeFolder, runQm, startQm, type Folder } from './qm-process.ts';

/** What a demo left in its temporary folder, beside Node's own cache of compiled code. */
async function leftovers({ path }: Folder): Promise<readonly string[]> {
  return (await readdir(path)).filter((name) => name !== 'node-compile-cache');
}

describe('qm demo', () => {
  test('--json prints one object: three sessions in full, the fourth deferred, and both bills by tier', async () => {
    await using folder = await makeFolder();
    const { exitCode, stdout, stderr } = await runQm(['demo', '--json'], {
      folder,
      env: { TMPDIR: folder.path },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual(['sessions', 'billUsdWithout', 'billUsdWith', 'billByTier']);
    expect(result.sessions.map((session: { toolsDeferred: number }) => session.toolsDeferred)).toEqual([
      0, 0, 0, 15,
    ]);
    for (const session of result.sessions) {
      expect(Object.keys(session)).toEqual([
        'session',
        'toolsDeclared',
        'toolsDeferred',
        'prefixTokensWithout',
        'prefixTokensWith',
        'prefixTokensWritten',
        'prefixTokensRead',
      ]);
      expect(session.toolsDeclared).toBe(21);
      // Untouched sessions are the same to the token; a deferred one is shorter by most of its declarations.
      if (session.toolsDeferred === 0) expect(session.prefixTokensWith).toBe(session.prefixTokensWithout);
      else expect(session.prefixTokensWith).toBeLessThan(session.prefixTokensWithout / 2);
      expect(session.prefixTokensRead).toBeGreaterThan(session.prefixTokensWritten);
    }
    expect(result.billUsdWith).toBeLessThan(result.billUsdWithout);
    const total = (tiers: Record<string, number>) =>
      Object.values(tiers).reduce((sum, tier) => sum + tier, 0);
    expect(total(result.billByTier.without)).toBeCloseTo(result.billUsdWithout, 10);
    expect(total(result.billByTier.with)).toBeCloseTo(result.billUsdWith, 10);
    expect(await leftovers(folder)).toEqual([]);
  });

  test('prints a table of the sessions, the tool that was found by search, the bill, and what is simulated', async () => {
    await using folder = await makeFolder();
    const { exitCode, stdout } = await runQm(['demo'], { folder });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^4 +21 +15 /m);
    expect(stdout).toContain(
      'It then needed WebFetch, which was deferred: the model found it by search and called it.',
    );
    expect(stdout).toMatch(/^total +0\.\d{4} +0\.\d{4}$/m);
    expect(stdout).toContain('Simulated: ');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('--serve keeps gateway and provider up until SIGINT, and leaves nothing behind', async () => {
    await using folder = await makeFolder();
    await using qm = await startQm(['demo', '--serve'], { folder, env: { TMPDIR: folder.path } });
    const { gatewayUrl, simulatorUrl, billUsdWith } = qm.first;
    const stats = await (await fetch(`${String(gatewayUrl)}/stats`)).json();
    expect(stats).toMatchObject({
      preset: 'ultrahigh',
      tool_defer: { threads_decided: 4, units_deferred: 15 },
    });
    const { bill } = Object(await (await fetch(`${String(simulatorUrl)}/_simulator/requests`)).json());
    expect(bill.totalUsd).toBe(billUsdWith);
    qm.signal('SIGINT');
    expect((await qm.ended).exitCode).toBe(0);
    expect(await leftovers(folder)).toEqual([]);
  });
});
