import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** A body that can be read, or why it can't. */
export type DecodedBody =
  | { readonly type: 'decoded'; readonly body: Buffer }
  | { readonly type: 'refused'; readonly reason: 'unknown-encoding' | 'undecodable' | 'decoded-too-large' };

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

/** Of a body that comes in pieces. */
export const streamDecoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

/** Whether a body of this encoding can be read. */
export function isDecodable(encoding: string | undefined): boolean {
  const name = nameOfEncoding(encoding);
  return isPlain(name) || name in streamDecoders;
}

/** A body's bytes in plain, as they come. It fails where the body breaks off or is not of its encoding. */
export function decodeStream(body: Readable, encoding: string | undefined): AsyncIterable<Buffer> {
  const decoder = streamDecoders[nameOfEncoding(encoding)]?.();
  // What breaks is told by the reading of it.
  return decoder === undefined ? body : pipeline(body, decoder, () => undefined);
}

function nameOfEncoding(encoding: string | undefined): string {
  return (encoding ?? '').trim().toLowerCase();
}

function isPlain(name: string): boolean {
  return name === '' || name === 'identity';
}

/** Decodes a copy of a request body (RW9). At most `maxBytes` come out of it, whatever went in. */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  const name = nameOfEncoding(encoding);
  if (isPlain(name)) return { type: 'decoded', body };
  const decode = decoders[name];
  if (decode === undefined) return { type: 'refused', reason: 'unknown-encoding' };
  try {
    return { type: 'decoded', body: await decode(body, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { type: 'refused', reason: isTooLarge ? 'decoded-too-large' : 'undecodable' };
  }
}
