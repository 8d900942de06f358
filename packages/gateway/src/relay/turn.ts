import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayError } from '../errors.ts';
import type { AnswerStart } from '../refusal/answer-start.ts';
import type { AnswerReader } from '../tap/answer.ts';
import type { Tapped } from '../tap/tap.ts';
import type { AnswerBlock } from './content.ts';

/** What comes of asking the provider to go on with a turn. */
export type NextAnswer =
  /** `isAnew`: it refused to go on, and this answers the client's own request (RF1). */
  | { readonly type: 'answer'; readonly answer: IncomingMessage; readonly isAnew: boolean }
  /** It answered with an error. */
  | { readonly type: 'fault'; readonly start: AnswerStart }
  /** It did not answer, or could not be asked. */
  | { readonly type: 'error'; readonly error: GatewayError };

/** Has the provider go on (Q4). `shown`: what the client has seen of the turn. `undefined`: it is gone. */
export type GoOn = (
  told: readonly AnswerBlock[],
  shown: readonly AnswerBlock[],
) => Promise<NextAnswer | undefined>;

/** Sends a request with more behind it, once. Rejects with a `GatewayError` where nobody answers. */
export type Resend = (body: Buffer, shown: readonly AnswerBlock[]) => Promise<NextAnswer | undefined>;

/** What the gateway does with the answer to a request that it has deferred tools in. */
export interface RelayOptions {
  readonly response: ServerResponse;
  /** Whether the client is not to see searches (Q2). */
  readonly strips: boolean;
  readonly resend: Resend;
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
export interface Turn extends Pick<RelayOptions, 'response' | 'strips' | 'keep' | 'report'> {
  /** The provider's first answer. */
  readonly first: IncomingMessage;
  readonly reader: AnswerReader;
  readonly goOn: GoOn;
  /** Nothing more is read of the provider. May be called twice. */
  readonly onEnd: () => void;
}
