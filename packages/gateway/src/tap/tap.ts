import type { IncomingMessage } from 'node:http';
import { createSseDecoder } from '@quartermaster/wire';
import { type JsonObject, objectOf } from '../json.ts';
import { type AnswerFacts, type AnswerReader, createAnswerReader } from './answer.ts';
import { createTapDecoder } from './decoder.ts';

/**
 * `told`: what the answer said. `not-billed`: the provider refused. `lost`: it could not be read, so nothing is known
 * of its bill.
 */
export type Tapped =
  | { readonly type: 'told'; readonly facts: AnswerFacts }
  | { readonly type: 'not-billed' }
  | { readonly type: 'lost' };

/** A message that is not streamed is read whole, up to this size. */
const maxMessageBytes = 16 * 1024 * 1024;
/** The events that matter are small; the text of the answer comes in many. */
const maxEventBytes = 1024 * 1024;

/**
 * Listens to a provider's answer on its way to the client. It takes copies of nothing, holds nothing up and alters
 * nothing; whatever goes wrong in it ends as `lost`. Resolves when the answer is over, however it ends.
 */
export function tapAnswer(incoming: IncomingMessage): Promise<Tapped> {
  if (incoming.statusCode !== 200) return Promise.resolve({ type: 'not-billed' });
  const { promise, resolve } = Promise.withResolvers<Tapped>();
  const reader = createAnswerReader();
  const body = bodyReader(incoming.headers['content-type'], reader);
  const decoder = createTapDecoder(incoming.headers['content-encoding'], {
    onChunk: guard((chunk) => {
      if (!body.read(chunk)) give(undefined);
    }),
    onFailure: () => give(undefined),
  });
  let isOver = false;

  function give(facts: AnswerFacts | undefined): void {
    isOver = true;
    decoder?.destroy();
    resolve(facts === undefined ? { type: 'lost' } : { type: 'told', facts });
  }

  function guard<Value>(work: (value: Value) => void): (value: Value) => void {
    return (value) => {
      if (isOver) return;
      try {
        work(value);
      } catch {
        give(undefined);
      }
    };
  }

  if (decoder === undefined) return Promise.resolve({ type: 'lost' });
  const finish = guard(() => {
    body.end();
    give(reader.facts());
  });
  const take = guard((chunk: Buffer) => {
    if (!decoder.write(chunk)) give(undefined);
  });
  incoming.on('data', take);
  incoming.once('close', () => void decoder.end().then(finish));
  return promise;
}

/** Reads a decoded body; `read` answers `false` once it is too much. */
interface BodyReader {
  read(chunk: Buffer): boolean;
  end(): void;
}

function bodyReader(contentType: string | undefined, reader: AnswerReader): BodyReader {
  return contentType?.startsWith('text/event-stream') === true ? streamReader(reader) : messageReader(reader);
}

function streamReader(reader: AnswerReader): BodyReader {
  const decoder = createSseDecoder({ maxEventBytes });
  return {
    read(chunk) {
      for (const { event, data } of decoder.decode(chunk)) {
        // Nearly all events are deltas of texts: they are not parsed.
        if (event === 'content_block_delta' && !reader.isInSearch()) continue;
        reader.event(parseRecord(data));
      }
      return true;
    },
    end: () => decoder.end(),
  };
}

function messageReader(reader: AnswerReader): BodyReader {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    read(chunk) {
      length += chunk.length;
      if (length > maxMessageBytes) return false;
      chunks.push(chunk);
      return true;
    },
    end: () => reader.message(parseRecord(Buffer.concat(chunks, length).toString('utf8'))),
  };
}

/** What is not an object of JSON tells nothing; other events of the same answer may. */
function parseRecord(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
