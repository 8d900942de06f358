/** Cuts a stream of bytes into lines that end with CR, LF or CRLF, wherever its chunks are cut. */
export interface LineReader {
  /** The lines that `chunk` completes; `undefined` stands for one longer than the bound. May share its memory. */
  read(chunk: Uint8Array): readonly (Uint8Array | undefined)[];
  reset(): void;
}

/** Holds at most `maxBytes` of a line (twice that while it grows). */
export function createLineReader(maxBytes: number): LineReader {
  let held: Uint8Array = empty;
  let length = 0;
  let isTooLong = false;
  let isAfterReturn = false;

  function hold(piece: Uint8Array): void {
    const needed = length + piece.length;
    if (isTooLong || needed > maxBytes) {
      isTooLong = true;
      held = empty;
      return;
    }
    if (needed > held.length) held = grow(held, 2 * needed);
    held.set(piece, length);
    length = needed;
  }

  function complete(piece: Uint8Array): Uint8Array | undefined {
    // The usual case: the line lies in one chunk and needs no copy.
    if (length === 0 && !isTooLong && piece.length <= maxBytes) return piece;
    hold(piece);
    const line = isTooLong ? undefined : held.subarray(0, length);
    forget();
    return line;
  }

  function forget(): void {
    held = empty;
    length = 0;
    isTooLong = false;
  }

  return {
    read(chunk) {
      const lines: (Uint8Array | undefined)[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        // The second half of a CRLF ends nothing.
        if (byte === lineFeed && isAfterReturn) start = at + 1;
        else if (byte === lineFeed || byte === carriageReturn) {
          lines.push(complete(chunk.subarray(start, at)));
          start = at + 1;
        }
        isAfterReturn = byte === carriageReturn;
      }
      hold(chunk.subarray(start));
      return lines;
    },
    reset() {
      forget();
      isAfterReturn = false;
    },
  };
}

const empty: Uint8Array = new Uint8Array(0);
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function grow(bytes: Uint8Array, length: number): Uint8Array {
  const grown = new Uint8Array(length);
  grown.set(bytes);
  return grown;
}
