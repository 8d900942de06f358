import { nearestNames } from '../nearest-names.ts';
import { settingFields } from './fields.ts';

const names = settingFields.flatMap(({ name, variable }) => [name, variable]);
const credentials = settingFields.filter(({ kind }) => kind === 'secret');
const addresses = settingFields.filter(({ kind }) => kind === 'url');
/** Keys of the other file that people keep beside this one (case 105). */
const policyKeys: ReadonlySet<string> = new Set([
  'rules',
  'permissions',
  'allow',
  'ask',
  'deny',
  'defaultPolicy',
]);

/** What is wrong with a key that is no setting, and what was probably meant (C2, C4). */
export function explainUnknownKey(key: string): string {
  const [nearest] = nearestNames(key, names);
  if (policyKeys.has(key)) return `"${key}" belongs in the policy file, not among the settings.`;
  if (looksLikeAddress(key)) {
    const fields = addresses.map(({ name }) => name).join(', ');
    return `"${key}" is no setting, and the vendor is not called in its place: the base URLs are ${fields}.`;
  }
  if (looksLikeCredential(key)) {
    const meant = nearest ?? credentials.map(({ name }) => name).join(', ');
    return `"${key}" looks like a credential but is no setting. Did you mean ${meant}?`;
  }
  const known = settingFields.map(({ name }) => name).join(', ');
  return `"${key}" is no setting. ${nearest === undefined ? `Known are ${known}.` : `Did you mean ${nearest}?`}`;
}

/** A variable that was meant for us: one letter off a credential of ours, or another word for a base URL. */
export function isMisspeltVariable(variable: string): boolean {
  const isAddress = addresses.some(({ variable: known }) => squeeze(variable) === squeeze(known));
  return isAddress || isNearCredential(variable) || otherAddresses.has(variable);
}

/** Names that other programs and older clients read. */
const otherAddresses: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_BASE',
  'ANTHROPIC_API_URL',
  'ANTHROPIC_ENDPOINT',
  'OPENAI_API_BASE',
  'OPENAI_API_URL',
  'OPENAI_ENDPOINT',
  'GEMINI_BASE_URL',
]);

function isNearCredential(variable: string): boolean {
  const known = credentials.map((field) => field.variable);
  const sameLetters = (other: string): boolean =>
    [...other].sort().join('') === [...variable].sort().join('');
  return known.some((other) => squeeze(other) === squeeze(variable) || sameLetters(other));
}

function looksLikeCredential(key: string): boolean {
  const isNear =
    nearestNames(
      key,
      credentials.flatMap(({ name, variable }) => [name, variable]),
    ).length > 0;
  return isNear || /api_?k|token|secret|passw|credential|auth/i.test(key);
}

function looksLikeAddress(key: string): boolean {
  return /^(\w*(base_?ur[il]|api_?(base|url)|endpoint)|url|host)$/i.test(key);
}

function squeeze(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
