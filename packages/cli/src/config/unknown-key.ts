import { findNearest } from './nearest.ts';
import type { Settings } from './settings.ts';

/** Other programs' words for an upstream's address. */
const addressWords: ReadonlySet<string> = new Set([
  'baseurl',
  'apibase',
  'apiurl',
  'endpoint',
  'upstream',
  'upstreamurl',
]);

/**
 * What to do about a key that stands where no such key is read (cases 103, 105): where it belongs,
 * else the key that was probably meant, else the keys that there are.
 */
export function adviseOnUnknownKey(key: string, section: string, settings: Settings): string {
  const here = keysOf(section, settings);
  return (
    adviseOnSecret(key) ??
    adviseOnVariable(key, settings) ??
    adviseOnPlace(key, section, settings) ??
    adviseOnSpelling(key, section, settings) ??
    `Keys ${section === '' ? 'at the top' : `of ${section}`} are ${here.join(', ')}.`
  );
}

function adviseOnSecret(key: string): string | undefined {
  if (!['admintoken', 'qmadmintoken'].includes(squeeze(key))) return undefined;
  return 'The admin token is a secret: set the environment variable QM_ADMIN_TOKEN instead of writing it into a file.';
}

function adviseOnVariable(key: string, settings: Settings): string | undefined {
  const setting = settings.all.find(({ variable }) => variable === key);
  return setting && `${key} is an environment variable; in a file the key is ${setting.path}.`;
}

function adviseOnPlace(key: string, section: string, settings: Settings): string | undefined {
  const places = [...settings.all.map(({ path }) => path), ...settings.sections].filter(
    (path) => [squeeze(path), squeeze(lastOf(path))].includes(squeeze(key)) && parentOf(path) !== section,
  );
  if (places.length > 0)
    return `It belongs elsewhere: ${places.map((path) => showNested(path)).join(' or ')}.`;
  if (!addressWords.has(squeeze(key))) return undefined;
  return 'The address of a provider belongs under upstreams: upstreams.anthropic, upstreams.openai or upstreams.gemini.';
}

function adviseOnSpelling(key: string, section: string, settings: Settings): string | undefined {
  const sibling = findNearest(key, keysOf(section, settings));
  if (sibling !== undefined) return `Did you mean ${section === '' ? sibling : `${section}.${sibling}`}?`;
  const paths = settings.all.map(({ path }) => path);
  const elsewhere = findNearest(key, paths.map(lastOf));
  const path = paths.find((candidate) => lastOf(candidate) === elsewhere);
  return path && `Did you mean ${showNested(path)}?`;
}

/** `upstreams.anthropic (a key of the section upstreams)`. */
function showNested(path: string): string {
  const section = parentOf(path);
  return section === ''
    ? `${path} (a key at the top)`
    : `${path} (the key ${lastOf(path)} of the section ${section})`;
}

function keysOf(section: string, settings: Settings): readonly string[] {
  const all = [...settings.all.map(({ path }) => path), ...settings.sections];
  return all.filter((path) => parentOf(path) === section).map(lastOf);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function squeeze(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}
