import type { IncomingMessage, ServerResponse } from 'node:http';
import { asciiJson } from '@quartermaster/wire';
import { decodeStream } from '../http/encoding.ts';
import { responseHeadersForOther } from '../http/headers.ts';
import { type AnswerStart, textOfStart } from '../refusal/answer-start.ts';
import { createRecordReader, printRecord, type RecordReader } from './records.ts';
import type { Turn } from './turn.ts';
import { createStreamJoiner, type StreamJoiner } from './stream-joiner.ts';

/** A turn in whose stream nothing is held but a record that is not complete. */
export async function relayStream(turn: Turn): Promise<void> {
  const { response, strips, reader, first } = turn;
  const joiner = createStreamJoiner({ strips, reader });
  const keep = once(() => turn.keep(joiner.blocks()));
  writeHead(first, response);
  let answer: IncomingMessage | undefined = first;
  while (answer !== undefined) {
    const end = await passAnswer(answer, { joiner, response, keep });
    if (end !== 'paused') return finish(end, turn, keep);
    answer = await nextAnswer(turn, joiner);
  }
  return keep();
}

/** The provider's next answer in the turn; `undefined` where there is none, and the client has been told. */
async function nextAnswer(turn: Turn, joiner: StreamJoiner): Promise<IncomingMessage | undefined> {
  const told = joiner.blocks();
  const next = await turn.goOn(told, told);
  if (next === undefined) return undefined;
  if (next.type !== 'answer') {
    endWithError(turn, next.type === 'fault' ? await faultIn(next.start) : turn.report(next.error));
    return undefined;
  }
  if (next.isAnew) joiner.beginAnew();
  return next.answer;
}

interface Passing {
  readonly joiner: StreamJoiner;
  readonly response: ServerResponse;
  readonly keep: () => Promise<void>;
}

/** Passes one answer of the provider's. `cut`: it broke off. */
async function passAnswer(answer: IncomingMessage, passing: Passing): Promise<'over' | 'paused' | 'cut'> {
  const records = createRecordReader();
  let isPaused = false;
  try {
    for await (const chunk of decodeStream(answer, answer.headers['content-encoding'])) {
      if (await passChunk(chunk, records, passing)) isPaused = true;
      // What keeps its connection open behind its last event is not waited for.
      if (isPaused && passing.joiner.isAnswerOver()) break;
    }
  } catch {
    return 'cut';
  }
  if (isPaused) return 'paused';
  await write(passing.response, records.rest());
  return 'over';
}

/** Whether the turn has to go on with another answer. */
async function passChunk(
  chunk: Buffer,
  records: RecordReader,
  { joiner, response, keep }: Passing,
): Promise<boolean> {
  let bytes = '';
  let isPaused = false;
  for (const record of records.read(chunk)) {
    const step = joiner.take(record);
    if (step.type === 'pause') {
      isPaused = true;
      continue;
    }
    if (step.type === 'end') {
      await write(response, bytes);
      bytes = '';
      await keep();
    }
    bytes += step.bytes;
  }
  await write(response, bytes);
  return isPaused;
}

/** FA3: the client's stream ends as the provider's did. What it has seen so far it may go on from all the same. */
async function finish(
  end: 'over' | 'cut',
  { response, onEnd }: Turn,
  keep: () => Promise<void>,
): Promise<void> {
  await keep();
  onEnd();
  if (end === 'cut') response.destroy();
  else response.end();
}

/** A part of the turn is with the client, so its end can only be an error: it must not pass for whole. */
function endWithError({ response, onEnd }: Turn, error: object): void {
  onEnd();
  response.end(Buffer.from(printRecord('error', asciiJson(error)), 'latin1'));
}

/** What the provider's error says, as an event says it. */
async function faultIn(start: AnswerStart): Promise<object> {
  const { incoming } = start;
  incoming.destroy();
  try {
    const parsed: unknown = JSON.parse(await textOfStart(start));
    if (typeof parsed === 'object' && parsed !== null && 'error' in parsed) return parsed;
  } catch {
    // Not the API's own words; the status says enough.
  }
  const message = `the provider answered ${incoming.statusCode} when asked to go on with its turn`;
  return { type: 'error', error: { type: 'api_error', message } };
}

function writeHead(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(
    answer.statusCode ?? 502,
    answer.statusMessage,
    responseHeadersForOther(answer.rawHeaders),
  );
  // The status is news to the client even when the first record takes a while; a record that is here leaves with it.
  setImmediate(() => response.flushHeaders());
}

async function write(response: ServerResponse, latin1: string): Promise<void> {
  if (latin1 === '' || response.destroyed) return;
  if (response.write(Buffer.from(latin1, 'latin1'))) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
