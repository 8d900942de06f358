import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayError } from '../errors.ts';
import type { AnswerReader } from '../tap/answer.ts';
import type { Tapped } from '../tap/tap.ts';
import type { AnswerBlock } from './content.ts';

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
