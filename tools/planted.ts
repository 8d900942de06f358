// A check that reads nothing reports success. So each one is shown a copy of the tree with violations planted
// in it, and has to find every one of them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plants } from './plants.ts';
import type { Plant } from './plants.ts';
import { runSteps } from './steps.ts';
import type { StepResult } from './steps.ts';

/** What the tools failed to see, one sentence each; empty when they see everything. */
export async function findBlindSpots(root: string): Promise<readonly string[]> {
  const copy = path.join(root, '.cache', 'planted');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  // A repository of its own: this one's .gitignore hides the copy, and the tools would find nothing to read.
  git(copy, ['init', '--quiet']);
  copySources(root, copy);
  linkModules(root, copy);

  const clean = await runSteps(copy);
  const disturbed = clean.filter((result) => !result.isPassed);
  if (disturbed.length > 0) {
    return disturbed.map(({ step, output }) => `${step.name} fails on an unplanted copy:\n${output}`);
  }

  for (const { file, text, beside } of plants) {
    write(path.join(copy, file), text);
    if (beside !== undefined) write(path.join(copy, beside.file), beside.text);
  }
  const planted = await runSteps(copy);
  return plants.filter((plant) => !isSeen(plant, planted)).map(describeMiss);
}

/** Whether the plant's own tool failed with a line that names both the file and the rule. */
function isSeen(plant: Plant, results: readonly StepResult[]): boolean {
  const result = results.find(({ step }) => step.name === plant.step);
  if (result === undefined || result.isPassed) return false;
  return result.output.split('\n').some((line) => line.includes(plant.file) && line.includes(plant.says));
}

function describeMiss({ step, file, says }: Plant): string {
  const rule = says === '' ? '' : ` and "${says.trim()}"`;
  return `${step} is blind: expected a line with ${file}${rule}.`;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** What git tracks or would track, as it stands in the working tree. */
function copySources(root: string, copy: string): void {
  const listed = git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of new Set(listed.split('\0'))) {
    if (file === '' || !existsSync(path.join(root, file))) continue;
    cpSync(path.join(root, file), path.join(copy, file));
  }
}

/** The installed packages by link, except our own, which must lead into the copy. */
function linkModules(root: string, copy: string): void {
  const own = new Set(['@quartermaster', 'quartermaster']);
  mkdirSync(path.join(copy, 'node_modules', '@quartermaster'), { recursive: true });
  for (const entry of readdirSync(path.join(root, 'node_modules'))) {
    if (own.has(entry)) continue;
    symlinkSync(path.join(root, 'node_modules', entry), path.join(copy, 'node_modules', entry));
  }
  symlinkSync('../packages/cli', path.join(copy, 'node_modules', 'quartermaster'));
  for (const folder of readdirSync(path.join(copy, 'packages'))) {
    if (folder === 'cli') continue;
    symlinkSync(`../../packages/${folder}`, path.join(copy, 'node_modules', '@quartermaster', folder));
  }
  for (const folder of readdirSync(path.join(copy, 'packages'))) {
    const nested = path.join(root, 'packages', folder, 'node_modules');
    if (existsSync(nested)) symlinkSync(nested, path.join(copy, 'packages', folder, 'node_modules'));
  }
}

function git(folder: string, flags: readonly string[]): string {
  return execFileSync('git', flags, { cwd: folder, encoding: 'utf8' });
}
