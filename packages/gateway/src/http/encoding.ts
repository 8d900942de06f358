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

/** Decodes a copy of a request body (RW9). At most `maxBytes` come out of it, whatever went in. */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return { type: 'decoded', body };
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
