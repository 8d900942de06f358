import process from 'node:process';
import { contenders, type RunningContender, startUpstream } from './contenders.ts';
import { canPin, otherCore, pinToCore } from './cores.ts';
import { type BenchResult, median, percentile, round, table } from './figures.ts';
import { openSessions, runLoad } from './load.ts';
import { sessionRequests, type SessionRequests } from './request-body.ts';

/** One kind of load; each contender meets each of them in each round. */
interface Cell {
  readonly name: string;
  readonly concurrency: number;
  readonly isStreaming: boolean;
}

const cells: readonly Cell[] = [
  { name: 'json c=1', concurrency: 1, isStreaming: false },
  { name: 'json c=16', concurrency: 16, isStreaming: false },
  { name: 'sse c=16', concurrency: 16, isStreaming: true },
];

const rounds = 15;
const cellMs = 500;
const warmUpMs = 1_500;
const bodyBytes = 100 * 1024;
const sessionCount = 4;
const turnsPerSession = 8;
/** What the CPU of all others is told in times of. */
const yardstick = 'raw-node';

/** One contender under one load; medians over the rounds. CPU is the proxy's process, user and system. */
interface CellFigures {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number | undefined;
  readonly cpuOfRawNode: number | undefined;
}

interface ContenderFigures {
  readonly name: string;
  readonly rssMib: number | undefined;
  /** By the cell's name; where the contender failed, the status it gave. */
  readonly cells: Readonly<Record<string, CellFigures | { readonly failedWith: number }>>;
}

/** Side by side, in one run and in turns: what a request of 100 KB costs behind each proxy. */
export async function benchGateway(): Promise<BenchResult> {
  using _pinned = pinToCore(process.pid, otherCore);
  await using upstream = await startUpstream(otherCore);
  await using field = await startField(upstream.port);
  const requests = cells.map((cell) => ({ cell, sessions: sessionsOf(cell) }));
  for (const { cell, sessions } of requests) {
    for (const entry of field.entries) await warmUp(entry, cell, sessions);
  }
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const { cell, sessions } of requests) {
      for (const entry of field.entries) await measure(entry, cell, sessions);
    }
  }
  await requireRewrites(field.entries);
  const found = await figuresOf(field.entries);
  const { unavailable } = field;
  return {
    figures: { isPinned: canPin(), rounds, cellMs, bodyBytes, contenders: found, unavailable },
    lines: [
      ...tableOf(found),
      ...Object.entries(unavailable).map(([name, reason]) => `${name} is missing: ${reason}`),
    ],
  };
}

interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number | undefined;
}

/** A contender with what was measured of it so far, by cell. */
interface Entry {
  readonly name: string;
  readonly contender: RunningContender;
  readonly samples: Map<string, Sample[]>;
  readonly failures: Map<string, number>;
}

interface Field extends AsyncDisposable {
  readonly entries: readonly Entry[];
  readonly unavailable: Readonly<Record<string, string>>;
}

async function startField(upstreamPort: number): Promise<Field> {
  await using started = new AsyncDisposableStack();
  const entries: Entry[] = [];
  const unavailable: Record<string, string> = {};
  for (const { name, start } of contenders) {
    const contender = await start(upstreamPort);
    if ('unavailable' in contender) unavailable[name] = contender.unavailable;
    else entries.push({ name, contender: started.use(contender), samples: new Map(), failures: new Map() });
  }
  const running = started.move();
  return { entries, unavailable, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function sessionsOf({ name, isStreaming }: Cell): readonly SessionRequests[] {
  return Array.from({ length: sessionCount }, (_, index) =>
    sessionRequests({
      session: `${name} ${index}`,
      turns: turnsPerSession,
      turnBytes: bodyBytes,
      isStreaming,
    }),
  );
}

async function warmUp(
  { contender, failures }: Entry,
  cell: Cell,
  sessions: readonly SessionRequests[],
): Promise<void> {
  await openSessions(contender.target, sessions);
  const load = { concurrency: cell.concurrency, durationMs: warmUpMs };
  const result = await runLoad(contender.target, sessions, load);
  const [status] = result.failures.keys();
  if (status !== undefined) failures.set(cell.name, status);
}

async function measure(entry: Entry, cell: Cell, sessions: readonly SessionRequests[]): Promise<void> {
  if (entry.failures.has(cell.name)) return;
  const { target, process: proxy } = entry.contender;
  const cpuBeforeMs = await proxy?.cpuMs();
  const load = { concurrency: cell.concurrency, durationMs: cellMs };
  const { latenciesMs, elapsedMs } = await runLoad(target, sessions, load);
  const cpuAfterMs = await proxy?.cpuMs();
  const samples = entry.samples.get(cell.name) ?? [];
  entry.samples.set(cell.name, samples);
  samples.push({
    requestsPerSecond: (latenciesMs.length * 1_000) / elapsedMs,
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuMsPerRequest:
      cpuBeforeMs === undefined || cpuAfterMs === undefined
        ? undefined
        : (cpuAfterMs - cpuBeforeMs) / latenciesMs.length,
  });
}

/** A figure of a rewrite that did not happen would flatter us. */
async function requireRewrites(entries: readonly Entry[]): Promise<void> {
  const entry = entries.find(({ name }) => name === 'quartermaster-ultrahigh');
  const answer = await fetch(`http://127.0.0.1:${entry?.contender.target.port}/stats`);
  const { requests, tool_defer: deferral } = (await answer.json()) as {
    readonly requests: number;
    readonly tool_defer: { readonly requests_rewritten: number };
  };
  if (requests > 0 && deferral.requests_rewritten === requests) return;
  throw new Error(
    `expected every request to be rewritten in ultrahigh, got ${deferral.requests_rewritten} of ${requests}.`,
  );
}

async function figuresOf(entries: readonly Entry[]): Promise<readonly ContenderFigures[]> {
  const raw = entries.find(({ name }) => name === yardstick);
  const figures = entries.map(async (entry) => {
    const rssMib = await entry.contender.process?.rssMib();
    const ofCells = cells.map(({ name }) => [name, cellFigures(entry, raw, name)] as const);
    return {
      name: entry.name,
      rssMib: rssMib === undefined ? undefined : Math.round(rssMib),
      cells: Object.fromEntries(ofCells),
    };
  });
  return Promise.all(figures);
}

function cellFigures(
  entry: Entry,
  raw: Entry | undefined,
  cell: string,
): CellFigures | { readonly failedWith: number } {
  const failedWith = entry.failures.get(cell);
  if (failedWith !== undefined) return { failedWith };
  const samples = entry.samples.get(cell) ?? [];
  const medianOf = (value: (sample: Sample) => number): number => round(median(samples.map(value)));
  return {
    requestsPerSecond: medianOf((sample) => sample.requestsPerSecond),
    p50Ms: medianOf((sample) => sample.p50Ms),
    p99Ms: medianOf((sample) => sample.p99Ms),
    cpuMsPerRequest: medianIfAny(samples.flatMap(({ cpuMsPerRequest }) => cpuMsPerRequest ?? [])),
    cpuOfRawNode: medianIfAny(cpuRatios(samples, raw?.samples.get(cell) ?? [])),
  };
}

/** Round by round, since a round's contenders have the same neighbours. */
function cpuRatios(samples: readonly Sample[], rawSamples: readonly Sample[]): readonly number[] {
  return samples.flatMap(({ cpuMsPerRequest }, index) => {
    const rawMs = rawSamples[index]?.cpuMsPerRequest;
    return cpuMsPerRequest === undefined || rawMs === undefined ? [] : [cpuMsPerRequest / rawMs];
  });
}

function medianIfAny(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : round(median(values));
}

function tableOf(found: readonly ContenderFigures[]): readonly string[] {
  return cells.flatMap(({ name }) => {
    const rows = found.map(({ name: contender, rssMib, cells: ofCells }) => {
      const cell = ofCells[name];
      if (cell === undefined || 'failedWith' in cell) return [contender, `fails: ${cell?.failedWith}`];
      const figures = [
        cell.cpuMsPerRequest,
        cell.cpuOfRawNode,
        cell.p50Ms,
        cell.p99Ms,
        cell.requestsPerSecond,
      ];
      return [contender, ...[...figures, rssMib].map((figure) => figure ?? '–')];
    });
    return table([
      [name, 'CPU ms/request', 'of raw Node', 'p50 ms', 'p99 ms', 'requests/s', 'RSS MiB'],
      ...rows,
    ]);
  });
}
