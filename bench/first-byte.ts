import process from 'node:process';
import { presets, startGateway, startUpstream } from './contenders.ts';
import { otherCore, pinToCore } from './cores.ts';
import { type BenchResult, median, round, table } from './figures.ts';
import { openSessions, runLoad } from './load.ts';
import { sessionRequests } from './request-body.ts';

const rounds = 20;
const sliceMs = 150;
const warmUpMs = 1_500;

/** FA2: what the gateway adds to the time until the first byte of a streamed answer, at the median, in ms. */
export async function benchFirstByte(): Promise<BenchResult> {
  using _pinned = pinToCore(process.pid, otherCore);
  await using upstream = await startUpstream(otherCore);
  await using running = new AsyncDisposableStack();
  const direct = { name: 'direct', target: { port: upstream.port, path: '/v1/messages', headers: {} } };
  const entries = [{ ...direct, times: [] as number[] }];
  for (const preset of presets) {
    const { target } = running.use(await startGateway(upstream.port, preset));
    entries.push({ name: preset, target, times: [] });
  }
  const sessions = [
    sessionRequests({ session: 'first-byte', turns: 8, turnBytes: 100 * 1024, isStreaming: true }),
  ];
  for (const { target } of entries) {
    await openSessions(target, sessions);
    await runLoad(target, sessions, { concurrency: 1, durationMs: warmUpMs });
  }
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const { target, times } of entries) {
      const { firstByteMs } = await runLoad(target, sessions, { concurrency: 1, durationMs: sliceMs });
      times.push(...firstByteMs);
    }
  }
  const directMs = median(entries[0]?.times ?? []);
  const figures = entries.map(({ name, times }) => ({
    name,
    requests: times.length,
    medianMs: round(median(times)),
    addedMs: round(median(times) - directMs),
  }));
  const rows = figures.map(({ name, medianMs, addedMs }) => [name, medianMs, addedMs]);
  return { figures: { ways: figures }, lines: table([['', 'first byte, ms', 'added ms'], ...rows]) };
}
