import type { IncomingMessage } from 'node:http';
import { decodeStream } from '../http/encoding.ts';
import { responseHeadersForOther } from '../http/headers.ts';
import { latin1Of } from '../latin1.ts';
import { passStart, unread } from '../refusal/answer-start.ts';
import { joinMessages, readMessage, type WholeMessage } from './message-joiner.ts';
import type { Turn } from './turn.ts';
import { isUnfinished, unfinished } from './unfinished.ts';

/** A model's longest output is far below. */
const maxMessageBytes = 64 * 1024 * 1024;

/** A turn that comes as one message. Until its end is known nothing goes to the client, so a fault is the fault itself. */
export async function relayMessage(turn: Turn): Promise<void> {
  const { response, strips, first } = turn;
  const answers: WholeMessage[] = [];
  let answer: IncomingMessage | undefined = first;
  while (answer !== undefined) {
    const text = await readWhole(answer);
    if (text === undefined) return void response.destroy();
    const message = readMessage(text);
    if (message === undefined && answers.length === 0) return send(turn, text);
    if (message === undefined) throw unfinished();
    answers.push(message);
    turn.reader.message(message.parsed);
    const blocks = answers.flatMap((told) => told.blocks);
    if (!isUnfinished(message.stopReason, blocks)) {
      await turn.keep(blocks);
      return send(turn, joinMessages(answers, strips));
    }
    answer = await nextAnswer(turn, answers);
  }
}

/** The provider's next answer in the turn; `undefined` where there is none, and the client has been told. */
async function nextAnswer(
  { response, goOn, onEnd }: Turn,
  answers: readonly WholeMessage[],
): Promise<IncomingMessage | undefined> {
  const next = await goOn(
    answers.flatMap(({ blocks }) => blocks),
    [],
  );
  switch (next?.type) {
    case 'answer':
      if (!next.isAnew) return next.answer;
      onEnd();
      await passStart(unread(next.answer), response);
      return undefined;
    case 'fault':
      await passStart(next.start, response);
      return undefined;
    case 'error':
      throw next.error;
    default:
      return undefined;
  }
}

function send({ response, first, onEnd }: Turn, latin1: string): void {
  onEnd();
  const body = Buffer.from(latin1, 'latin1');
  response.sendDate = false;
  response.writeHead(first.statusCode ?? 502, first.statusMessage, [
    ...responseHeadersForOther(first.rawHeaders),
    'Content-Length',
    String(body.length),
  ]);
  response.end(body);
}

/** An answer's body in plain (latin1); `undefined` where it breaks off, or is more than any answer can be. */
async function readWhole(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decodeStream(answer, answer.headers['content-encoding'])) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxMessageBytes) return undefined;
    }
  } catch {
    return undefined;
  }
  return latin1Of(Buffer.concat(chunks, length));
}
