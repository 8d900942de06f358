import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayError } from '../errors.ts';
import { isDecodable } from '../http/encoding.ts';
import { type AnswerReader, createAnswerReader } from '../tap/answer.ts';
import type { Tapped } from '../tap/tap.ts';
import type { AnswerBlock } from './content.ts';
import { isSearchBlock } from './search-blocks.ts';
import { relayMessage } from './relay-message.ts';
import { relayStream } from './relay-stream.ts';

/** What the gateway does with the answer to a request that it has deferred tools in. */
export interface RelayOptions {
  readonly response: ServerResponse;
  /** Whether the client is not to see searches (Q2). */
  readonly strips: boolean;
  /** Sends the request with more behind it. `undefined`: the client is gone, or its answer was cut. */
  readonly resend: (body: Buffer) => Promise<IncomingMessage | undefined>;
  /** Makes durable what the turn's searches came to; called before the client may go on from them. Must not reject. */
  readonly keep: (blocks: readonly AnswerBlock[]) => Promise<void>;
  /** Told what the provider said in all, before the client has the end of it. */
  readonly onTapped: (tapped: Tapped) => void;
  /** The answer holds searches that the client is not to see (Q2). */
  readonly onStrip: () => void;
  /** The provider is asked to go on (Q4). */
  readonly onContinue: () => void;
  /** An error that takes the place of the answer's end: counts it, and says it in the API's own shape. */
  readonly report: (error: GatewayError) => object;
}

/** One turn on its way to the client. */
export interface Turn extends Omit<RelayOptions, 'onTapped' | 'onStrip'> {
  /** The provider's first answer, and the request that it answers. */
  readonly first: IncomingMessage;
  readonly sent: Buffer;
  readonly reader: AnswerReader;
  /** Nothing more is read of the provider. May be called twice. */
  readonly onEnd: () => void;
}

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
