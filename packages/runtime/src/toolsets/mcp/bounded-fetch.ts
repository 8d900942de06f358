/** Of one answer, and of one event of a stream. */
const maxBytes = 16_000_000;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The same `fetch`, but an answer breaks off once it is larger than what a message may be. A stream may go on for ever;
 * there each event has the limit, which a blank line ends.
 */
export function boundFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (!response.ok || body === null) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    return new Response(body.pipeThrough(createLimit(isStream)), { status, statusText, headers });
  };
}

function createLimit(beginsAnewAtBlankLines: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const last = beginsAnewAtBlankLines ? lastBlankLine(chunk) : -1;
      length = last < 0 ? length + chunk.length : chunk.length - last;
      if (length > maxBytes) throw new RangeError(`expected messages of up to ${maxBytes} bytes.`);
      controller.enqueue(chunk);
    },
  });
}

/** Where the last blank line of a piece ends; one that lies in two pieces is found with the next. */
function lastBlankLine(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(lineFeed); at > 0; at = chunk.lastIndexOf(lineFeed, at - 1)) {
    const before = chunk[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (chunk[before] === lineFeed) return at + 1;
  }
  return -1;
}
