import type { IncomingMessage } from 'node:http';
import { isDecodable } from '../http/encoding.ts';
import { createAnswerReader } from '../tap/answer.ts';
import { isSearchBlock } from './search-blocks.ts';
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
  { onTapped, onStrip, ...options }: RelayOptions,
): Promise<void> {
  const reader = createAnswerReader();
  const keep: Turn['keep'] = (blocks) => {
    if (options.strips && blocks.some(isSearchBlock)) onStrip();
    return options.keep(blocks);
  };
  let isTold = false;
  const onEnd = (): void => {
    if (!isTold) onTapped({ type: 'told', facts: reader.facts() });
    isTold = true;
  };
  const relay = isStream(first.headers['content-type'] ?? '') ? relayStream : relayMessage;
  try {
    await relay({ ...options, keep, first, sent, reader, onEnd });
  } finally {
    onEnd();
  }
}

function isStream(type: string): boolean {
  return type.startsWith('text/event-stream');
}
