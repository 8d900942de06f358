import { AsyncLocalStorage } from 'node:async_hooks';

/** Notices that the stream is over on which the answer to a call would have come. */
export interface AnswerStreams {
  /** The `fetch` to reach the server by. */
  readonly fetch: typeof globalThis.fetch;
  /** What `call` gives, or a rejection soon after its stream ended without an answer (case 123). */
  watch<Result>(call: () => Promise<Result>): Promise<Result>;
}

/** What came at the end of a stream is read for so long, in ms. */
const graceMs = 250;

/** The protocol's client waits for a call's whole time when a stream breaks off; this does not. */
export function createAnswerStreams(fetch: typeof globalThis.fetch): AnswerStreams {
  const calls = new AsyncLocalStorage<{ readonly streamEnded: () => void }>();
  return {
    async fetch(input, init) {
      const response = await fetch(input, init);
      const call = calls.getStore();
      const { body, ok, status, statusText, headers } = response;
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (call === undefined || !ok || body === null || !isStream) return response;
      return new Response(watchEnd(body, call.streamEnded), { status, statusText, headers });
    },
    async watch(call) {
      const { promise, reject } = Promise.withResolvers<never>();
      let timer: NodeJS.Timeout | undefined;
      const streamEnded = (): void => {
        timer = setTimeout(
          () => reject(new Error('The connection was lost before the answer came.')),
          graceMs,
        );
      };
      try {
        return await Promise.race([calls.run({ streamEnded }, call), promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A stream whose events have ids may be left by the server, and the protocol's client takes it up again. */
function watchEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  let isTakenUp = false;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      isTakenUp ||= /(?:^|\n)id:/.test(Buffer.from(chunk).toString('latin1'));
      controller.enqueue(chunk);
    },
  });
  const end = (): void => {
    if (!isTakenUp) ended();
  };
  void body.pipeTo(writable).then(end, end);
  return readable;
}
