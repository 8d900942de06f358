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

function readLock(file) {
  const location = path.join(root, file);
  return existsSync(location) ? JSON.parse(readFileSync(location, 'utf8')).packages : undefined;
}

/** Versions, not times: a branch switch or a copied folder must not fool it. */
function isInstalled() {
  const wanted = readLock('package-lock.json');
  const installed = readLock('node_modules/.package-lock.json');
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted)
    .filter(([location, entry]) => location.startsWith('node_modules/') && !entry.peer)
    .every(([location, entry]) => {
      const found = installed[location];
      // npm leaves out optional packages of other platforms; nodeVersion() below sees a missing Node.
      if (found === undefined) return entry.optional === true;
      return found.version === entry.version && found.link === entry.link;
    });
}

function install() {
  process.stderr.write('Installing what is missing (once per change of package-lock.json) …\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
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
