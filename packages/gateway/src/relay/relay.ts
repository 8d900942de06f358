import type { IncomingMessage } from 'node:http';
import { isDecodable } from '../http/encoding.ts';
import { createAnswerReader } from '../tap/answer.ts';
import { isSearchBlock } from './block-kinds.ts';
import { createGoOn } from './go-on.ts';
import { relayMessage } from './relay-message.ts';
import { relayStream } from './relay-stream.ts';
import type { RelayOptions, Turn } from './turn.ts';

/** Whether an answer can hold searches and can be read; any other goes to the client as it comes. */
export function isRelayed({ statusCode, headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? '';
  const isMessage = isStream(type) || type.startsWith('application/json');
  return statusCode === 200 && isMessage && isDecodable(headers['content-encoding']);
}

/**
 * Passes the provider's answer to the client as one whole turn: without searches that the client is not to see (Q2), and
 * continued upstream where the provider stopped before there was anything to show (Q4). Resolves when the answer is
 * through or the client gone. Rejects with a `GatewayError` only while nothing has been answered.
 */
export async function relayAnswer(
  first: IncomingMessage,
  sent: Buffer,
  options: RelayOptions,
): Promise<void> {
  const { response, strips, report, onTapped } = options;
  const reader = createAnswerReader();
  const keep: Turn['keep'] = (blocks) => {
    if (strips && blocks.some(isSearchBlock)) options.onStrip();
    return options.keep(blocks);
  };
  const continuing = createGoOn(sent, options);
  let isAnew = false;
  const goOn: Turn['goOn'] = async (told, shown) => {
    const next = await continuing(told, shown);
    isAnew ||= next?.type === 'answer' && next.isAnew;
    return next;
  };
  let isTold = false;
  const onEnd = (): void => {
    // RF6: what began with deferred tools and ended without has saved nothing that could be told apart.
    if (!isTold) onTapped(isAnew ? { type: 'lost' } : { type: 'told', facts: reader.facts() });
    isTold = true;
  };
  const relay = isStream(first.headers['content-type'] ?? '') ? relayStream : relayMessage;
  try {
    await relay({ response, strips, report, keep, first, reader, goOn, onEnd });
  } finally {
    onEnd();
  }
}

function isStream(type: string): boolean {
  return type.startsWith('text/event-stream');
}
