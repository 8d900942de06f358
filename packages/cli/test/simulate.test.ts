import { describe, expect, test } from 'vitest';
import { makeFolder, runQm, startQm } from './qm-process.ts';

const simulate = ['simulate', '--port', '0'];

/** The input tokens that the simulated provider counts in a text of 4,000 letters. */
async function countInput(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      messages: [{ role: 'user', content: 'a'.repeat(4_000) }],
    }),
  });
  return Number(Object(await response.json()).input_tokens);
}

describe('qm simulate', () => {
  test('prints its URL, answers without a network, bills at /_simulator/requests, and ends by SIGTERM', async () => {
    await using folder = await makeFolder();
    await using qm = await startQm(simulate, { folder });
    expect(qm.first).toEqual({ url: qm.url, pid: expect.any(Number) });
    await countInput(qm.url);
    const { requests, bill } = Object(await (await fetch(`${qm.url}/_simulator/requests`)).json());
    expect(requests).toHaveLength(1);
    expect(bill.totalUsd).toBe(0);
    qm.signal('SIGTERM');
    expect((await qm.ended).exitCode).toBe(0);
  });

  test('--tokens bytes counts a fourth of a token for each byte, o200k counts as a tokenizer does', async () => {
    await using folder = await makeFolder();
    await using byBytes = await startQm([...simulate, '--tokens', 'bytes'], { folder });
    await using byTokens = await startQm([...simulate, '--tokens', 'o200k'], { folder });
    expect((await countInput(byBytes.url)) / (await countInput(byTokens.url))).toBeCloseTo(1_000 / 500, 0);
  });

  test.each(['x', '65536', '-1'])('--port %s is wrong use', async (port) => {
    await using folder = await makeFolder();
    expect(await runQm(['simulate', '--port', port], { folder })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `--port: expected a whole number from 0 to 65535, came "${port}".\n`,
    });
  });
});
