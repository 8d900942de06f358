/** The latin1 view of a body: one character is one byte, so that positions in it are positions in the bytes. */
export function latin1Of(body: Buffer): string {
  return body.toString('latin1');
}

/** The text that stands behind a part of a latin1 view: its bytes read as UTF-8. */
export function textOf(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/**
 * The same text in memory of its own. What is cut out of a body is a view of it, and keeps the whole body alive for as
 * long as it is itself kept: so whatever outlives its request goes through here.
 */
export function detach(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
