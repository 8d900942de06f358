import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { benchAssembly } from './agent.ts';
import { benchDecide } from './deferral.ts';
import { type BenchResult, round } from './figures.ts';
import { benchFirstByte } from './first-byte.ts';
import { benchGateway } from './gateway.ts';
import { benchPermissions } from './permissions.ts';
import { benchIdleSessions } from './runtime.ts';
import { benchWire } from './wire.ts';

const benches: Readonly<Record<string, () => BenchResult | Promise<BenchResult>>> = {
  deferral: showDecide,
  permissions: benchPermissions,
  wire: benchWire,
  'first-byte': benchFirstByte,
  gateway: benchGateway,
  agent: benchAssembly,
  runtime: benchIdleSessions,
};

const saveFolder = 'docs/measured';
const help = `usage: npm run -s bench -- [--only NAME]... [--json] [--save]

  --only NAME  ${Object.keys(benches).join(', ')}; again for several
  --json       one JSON object on standard output
  --save       writes ${saveFolder}/bench.json`;

/** RU8. */
function showDecide(): BenchResult {
  const { medianMs, runs } = benchDecide();
  const figures = { medianMs: round(medianMs), runs };
  return { figures, lines: [`one decision over 2,000 tools: ${figures.medianMs} ms at the median`] };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: Object.keys(benches) },
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(help);
  const figures: Record<string, object> = {};
  const surroundings = describeSurroundings();
  for (const name of values.only) {
    const bench = benches[name];
    if (bench === undefined)
      throw new Error(`expected one of ${Object.keys(benches).join(', ')}, got ${name}.`);
    const result = await bench();
    figures[name] = result.figures;
    if (!values.json) print(['', name, ...result.lines].join('\n'));
  }
  const document = `${JSON.stringify({ ...surroundings, figures }, undefined, 2)}\n`;
  if (values.json) process.stdout.write(document);
  if (values.save) save(document);
}

/** What the figures hold for. The load is that of the minute before the bench, so it is the neighbours'. */
function describeSurroundings(): object {
  const [cpu] = cpus();
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return {
    commit: git('rev-parse', 'HEAD'),
    isModified: git('status', '--porcelain', '--', 'packages', 'bench') !== '',
    date: new Date().toISOString(),
    machine: `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.version}`,
    loadBefore: round(loadavg()[0] ?? Number.NaN),
  };
}

function save(document: string): void {
  mkdirSync(saveFolder, { recursive: true });
  writeFileSync(`${saveFolder}/bench.json`, document);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
