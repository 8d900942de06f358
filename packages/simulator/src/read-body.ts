import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { ApiError, refuse } from './api-error.ts';

/** Messages and count_tokens take at most 32 MB (§1.1). */
const maxBytes = 32_000_000;

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  deflate: promisify(inflate),
};

/** The bytes of a request's body after its content encoding. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read to the end all the same: leaving early would close the connection before the answer is out.
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) throw new ApiError('request_too_large', 'Request exceeds the maximum size');
  return decodeBody(Buffer.concat(chunks), request.headers['content-encoding']);
}

async function decodeBody(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || encoding === '') return bytes;
  const decode = decoders[encoding.trim().toLowerCase()];
  if (decode === undefined) {
    throw refuse(`Unsupported content-encoding: ${encoding}`, 'request_body_encoding_unsupported');
  }
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ApiError('request_too_large', 'Request exceeds the maximum size', {
        detail: 'request_body_too_large_after_decoding',
      });
    }
    throw refuse(`The request body is not valid ${encoding}`, 'request_body_encoding_invalid');
  }
}
