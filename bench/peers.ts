import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

/** A program that we did not write can't be had on this machine. */
export interface Unavailable {
  readonly unavailable: string;
}

const run = promisify(execFile);
const portkey = '@portkey-ai/gateway@1.15.2';

/** Portkey's gateway from npm, in the cache of clients outside of the repository. */
export async function installPortkey(): Promise<{ readonly startFile: string } | Unavailable> {
  const installed = await installOnce(
    `${portkey.replace('/', '+')}-${process.platform}-${process.arch}`,
    async (folder) => {
      await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
      await run('npm', [
        'install',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        portkey,
      ]);
    },
  );
  if ('unavailable' in installed) return installed;
  return { startFile: path.join(installed.folder, 'node_modules/@portkey-ai/gateway/build/start-server.js') };
}

/** nginx as the machine has it, else Debian's, unpacked in the cache: nothing is installed and no service starts. */
export async function findNginx(): Promise<{ readonly program: string } | Unavailable> {
  for (const program of ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx']) {
    if (await isThere(program)) return { program };
  }
  const unpacked = await installOnce(`nginx-${process.platform}-${process.arch}`, async (folder) => {
    await run('apt-get', ['download', 'nginx'], { cwd: folder });
    const [archive] = await readdir(folder);
    await run('dpkg-deb', ['-x', archive ?? '', '.'], { cwd: folder });
  });
  if ('unavailable' in unpacked) return unpacked;
  return { program: path.join(unpacked.folder, 'usr/sbin/nginx') };
}

/** Fills a folder of the cache once; a folder that is there is whole. */
async function installOnce(
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<{ readonly folder: string } | Unavailable> {
  const folder = path.join(cacheFolder(), name);
  if (await isThere(folder)) return { folder };
  try {
    await mkdir(cacheFolder(), { recursive: true });
    const draft = await mkdtemp(path.join(cacheFolder(), `.${name.split('/').join('+')}-`));
    await fill(draft);
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
    return { folder };
  } catch (cause) {
    const said = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    return { unavailable: `${name} can't be installed: ${said}` };
  }
}

/** `QM_CLIENT_CACHE`, else the user's cache folder. */
function cacheFolder(): string {
  const own = process.env['QM_CLIENT_CACHE'];
  if (own !== undefined && own !== '') return own;
  return path.join(
    process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
    'quartermaster',
    'clients',
  );
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
