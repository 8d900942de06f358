// Makes a checkout ready to run: installs when the installed versions are not those of the lock file,
// then checks that the Node on the PATH of npm scripts is recent enough.
// Plain JavaScript, because it runs before Node 24 is there (on Node 20 and later).
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const neededMajor = 24;

/** The packages of a lock file by their folder; `undefined` where there is none, or a half-written one. */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Versions, not times: a branch switch or a copied folder must not fool it. */
function isInstalled() {
  const wanted = readLock('package-lock.json');
  const installed = readLock('node_modules/.package-lock.json');
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted)
    .filter(([location, entry]) => /(^|\/)node_modules\//.test(location) && !entry.peer)
    .every(([location, entry]) => {
      const found = installed[location];
      // npm leaves out optional packages of other platforms; nodeVersion() below sees a missing Node.
      if (found === undefined) return entry.optional === true;
      if (found.version !== entry.version || found.link !== entry.link) return false;
      // An interrupted delete leaves npm's own list behind.
      return existsSync(path.join(root, location, 'package.json'));
    });
}

function install() {
  process.stderr.write('Installing what is missing (once per change of package-lock.json) …\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Included by name, because NODE_ENV=production or a user's own npm settings may leave them out.
  const included = ['--include=dev', '--include=optional'];
  const { status } = spawnSync(npm, ['ci', ...included, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write(`npm ci failed (exit code ${status}); see its output above.\n`);
    process.exit(1);
  }
}

function nodeVersion() {
  const PATH = `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`;
  return execFileSync('node', ['--version'], { env: { ...process.env, PATH }, encoding: 'utf8' }).trim();
}

if (!isInstalled()) install();
const version = nodeVersion();
if (Number(version.slice(1).split('.')[0]) < neededMajor) {
  process.stderr.write(
    `Expected Node ${neededMajor} or later, found ${version}. On platforms without a prebuilt Node on npm, install Node ${neededMajor} yourself.\n`,
  );
  process.exit(1);
}
