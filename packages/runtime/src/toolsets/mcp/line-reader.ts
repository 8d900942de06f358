/** Takes the pieces of a stream and gives out its lines. */
export interface LineReader {
  /** Throws `RangeError` once a line is longer than the limit. */
  push(chunk: Buffer): void;
}

const lineFeed = 0x0a;

/** Lines end with a line feed, are UTF-8 and hold up to `maxBytes`; one without an end is never given out. */
export function createLineReader(maxBytes: number, onLine: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let length = 0;

  function keep(part: Buffer): void {
    length += part.length;
    if (length > maxBytes)
      throw new RangeError(`expected lines of up to ${maxBytes} bytes, came a longer one.`);
    if (part.length > 0) parts.push(part);
  }

  return {
    push(chunk) {
      let rest = chunk;
      for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
        keep(rest.subarray(0, end));
        const line = Buffer.concat(parts).toString('utf8');
        parts = [];
        length = 0;
        rest = rest.subarray(end + 1);
        onLine(line);
      }
      keep(rest);
    },
  };
}
