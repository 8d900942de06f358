import type { SettingKind } from './fields.ts';
import { createSecret, isSecret } from './secret.ts';
import type { Secret } from './secret.ts';

/** A setting's value, or what was expected in its place. The reason never holds a credential. */
export type ValueReading =
  | { readonly type: 'value'; readonly value: string | URL | Secret }
  | { readonly type: 'refused'; readonly expected: string };

/** Reads a value of its kind. White space around a text is dropped. */
export function readValue(kind: SettingKind, given: unknown): ValueReading {
  if (kind === 'secret') return readSecret(given);
  if (kind === 'url') return given instanceof URL ? readUrl(given.href) : readUrl(given);
  const text = textOf(given);
  return text === undefined ? refuse('a text that is not empty') : { type: 'value', value: text };
}

function readSecret(given: unknown): ValueReading {
  const text = textOf(isSecret(given) ? given.reveal() : given);
  if (text === undefined || !/^[\x21-\x7e]+$/.test(text)) {
    return refuse('a credential of printable characters without white space');
  }
  if (/^https?:\/\//i.test(text))
    return refuse('a credential, and it is a URL, which belongs in a base URL setting');
  return { type: 'value', value: createSecret(text) };
}

function readUrl(given: unknown): ValueReading {
  const text = textOf(given);
  if (text === undefined || !/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return refuse('a base URL that starts with http:// or https://');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('a base URL without a user and a password');
  if (url.search !== '' || url.hash !== '') return refuse('a base URL without a query and a fragment');
  return { type: 'value', value: url };
}

function textOf(given: unknown): string | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  return text === '' ? undefined : text;
}

function refuse(expected: string): ValueReading {
  return { type: 'refused', expected };
}
