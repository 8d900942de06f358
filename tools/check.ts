// `npm run check`: everything that can be said about the tree without running it, in half a minute.
import path from 'node:path';
import process from 'node:process';
import { findBlindSpots } from './planted.ts';
import { plants } from './plants.ts';
import { runSteps } from './steps.ts';

const root = path.dirname(import.meta.dirname);

function report(name: string, elapsedMs: number, faults: string): void {
  const verdict = faults === '' ? 'ok' : 'FAILED';
  process.stdout.write(`${verdict} ${name} ${(elapsedMs / 1000).toFixed(1)} s\n${faults}`);
  if (faults !== '') process.exitCode = 1;
}

for (const { step, isPassed, output, elapsedMs } of await runSteps(root)) {
  report(step.name, elapsedMs, isPassed ? '' : `${output.trimEnd() || 'It said nothing.'}\n`);
}
if (process.exitCode === undefined) {
  const startedMs = performance.now();
  const blindSpots = await findBlindSpots(root);
  const faults = blindSpots.map((blindSpot) => `${blindSpot}\n`).join('');
  report(`planted (${plants.length} violations)`, performance.now() - startedMs, faults);
}
