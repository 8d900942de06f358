import { streamDecoders } from '../http/encoding.ts';

/** Turns the bytes of a response as they pass into their decoded form, beside the way to the client. */
export interface TapDecoder {
  /** Answers `false` when more is waiting to be decoded than it will hold. */
  write(chunk: Buffer): boolean;
  /** Resolves when everything written has been handed out. */
  end(): Promise<void>;
  destroy(): void;
}

/** What may wait for the decoder, and what one response may become. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** `undefined`: an encoding that is not known. `onFailure` is called at most once, for bytes that don't decode. */
export function createTapDecoder(
  encoding: string | undefined,
  { onChunk, onFailure }: { readonly onChunk: (chunk: Buffer) => void; readonly onFailure: () => void },
): TapDecoder | undefined {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return plainDecoder(onChunk);
  const transform = streamDecoders[name]?.();
  if (transform === undefined) return undefined;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  transform.on('data', onChunk);
  transform.once('end', resolve);
  transform.once('close', resolve);
  transform.once('error', () => {
    onFailure();
    resolve();
  });
  return {
    write(chunk) {
      transform.write(chunk);
      return transform.writableLength <= maxWaitingBytes;
    },
    end() {
      transform.end();
      return ended;
    },
    destroy: () => transform.destroy(),
  };
}

function plainDecoder(onChunk: (chunk: Buffer) => void): TapDecoder {
  return {
    write(chunk) {
      onChunk(chunk);
      return true;
    },
    end: () => Promise.resolve(),
    destroy: () => undefined,
  };
}
