import type { Counters } from './counters.ts';
import { type GatewayError, nameOf } from './errors.ts';
import { envelopeOf } from './http/error-reply.ts';
import type { Log } from './options.ts';
import type { AnswerPlan, MessagesPlan } from './plan.ts';
import { relayAnswer } from './relay/relay.ts';
import type { Exchange, Relay } from './refusal/resend.ts';
import { hiddenTurns, shownTurns } from './search/record.ts';
import type { SearchTurns } from './search/search-turns.ts';

/** Makes the ways of answers in which the provider may have searched: read on the way, and what they came to is kept. */
export type Relays = (
  plan: Extract<MessagesPlan, { type: 'edited' }>,
  answer: AnswerPlan,
  sending: Pick<Exchange, 'response'> & { readonly requestId: string },
) => Relay;

/** Keeps nothing itself: what an answer's searches came to goes to `searchTurns`. */
export function createRelays({
  searchTurns,
  counters,
  log,
  tell,
}: {
  readonly searchTurns: SearchTurns;
  readonly counters: Counters;
  readonly log: Log;
  /** Counts and logs an error of the gateway's own. */
  readonly tell: (error: GatewayError, requestId: string) => void;
}): Relays {
  return ({ conversation, entry }, { strips, asked }, { response, requestId }) => {
    const { tenant, session, agent } = conversation;
    const turnsOf = strips ? hiddenTurns : shownTurns;
    return (answer, sent, resend) =>
      relayAnswer(answer, sent, {
        response,
        strips,
        resend,
        async keep(blocks) {
          try {
            await searchTurns.keep({ tenant, session, agent }, turnsOf(blocks, asked));
          } catch (error) {
            // The answer is the client's all the same (law 7).
            log.error({ error: nameOf(error) }, 'what the searches of an answer came to could not be told');
          }
        },
        onTapped: entry.relayed(answer),
        onStrip() {
          counters.strippedAnswers += 1;
        },
        onContinue() {
          counters.continuations += 1;
        },
        report(error) {
          tell(error, requestId);
          return envelopeOf(error, { dialect: 'anthropic', requestId });
        },
      });
  };
}
