import { inspect } from 'node:util';

const mask = '[secret]';

/** A text that shows nowhere but where it is asked for (C3). */
export interface Secret {
  /** The text itself. Call it where it goes over the wire, and keep the result nowhere. */
  reveal(): string;
}

/** Wraps a text. No property holds it, so that neither inspection nor serialisation, nor a copy, can find it. */
export function createSecret(text: string): Secret {
  const masked = (): string => mask;
  return Object.freeze({
    reveal: () => text,
    toString: masked,
    toJSON: masked,
    [Symbol.toPrimitive]: masked,
    [inspect.custom]: masked,
  });
}

export function isSecret(value: unknown): value is Secret {
  return (
    typeof value === 'object' && value !== null && 'reveal' in value && typeof value.reveal === 'function'
  );
}

/** Takes secrets and the credentials of URLs out of a text, as of another program's error message (C3, case 131). */
export function redact(text: string, secrets: readonly Secret[]): string {
  const hidden = secrets.flatMap((secret) => spellings(secret.reveal())).filter((each) => each !== '');
  const masked = hidden
    .toSorted((left, right) => right.length - left.length)
    .reduce((rest, each) => rest.replaceAll(each, mask), text);
  return maskUrls(masked);
}

/** URLs in the text without user info and without the values of their queries. */
function maskUrls(text: string): string {
  return text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>]*)/gi, (_, scheme: string, rest: string) => {
    const withoutUser = rest.replace(/^[^/?#]*@/, '…@');
    return scheme + withoutUser.replaceAll(/([?&][^=&#]*)=[^&#]*/g, '$1=…');
  });
}

/** As it is, as a URL holds it, and in an authorization header of its own. */
function spellings(text: string): readonly string[] {
  return [text, encodeURIComponent(text), Buffer.from(text).toString('base64')];
}
