/**
 * Decodes UTF-8 as the Encoding standard does (a byte order mark stays): each longest piece of a broken sequence
 * becomes one U+FFFD. Written here since pure packages have no `TextDecoder`.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const end = endOfAscii(bytes, at);
    if (end > at) {
      text += readAscii(bytes, at, end);
      at = end;
    } else {
      const sequence = readSequence(bytes, at);
      text += String.fromCodePoint(sequence.point);
      at = sequence.end;
    }
  }
  return text;
}

function endOfAscii(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at += 1;
  return at;
}

/** In pieces, since each byte becomes an argument of one call. */
function readAscii(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += pieceBytes) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, Math.min(at + pieceBytes, end)));
  }
  return text;
}

const pieceBytes = 4096;

const replacement = 0xfffd;

function readSequence(bytes: Uint8Array, start: number): { readonly point: number; readonly end: number } {
  const lead = bytes[start] ?? 0;
  const more = countOfContinuations(lead);
  if (more === 0) return { point: replacement, end: start + 1 };
  let point = lead & (0x3f >> more);
  let [lowest, highest] = secondByteRange(lead);
  for (let at = start + 1; at <= start + more; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < lowest || byte > highest) return { point: replacement, end: at };
    [lowest, highest] = [0x80, 0xbf];
    point = (point << 6) | (byte & 0x3f);
  }
  return { point, end: start + more + 1 };
}

/** 0 for a byte that begins no sequence. */
function countOfContinuations(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  if (lead >= 0xf0 && lead <= 0xf4) return 3;
  return 0;
}

/** Keeps out overlong forms, surrogates and what lies beyond U+10FFFF. */
function secondByteRange(lead: number): readonly [lowest: number, highest: number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
