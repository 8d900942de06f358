import type { McpTools } from '@quartermaster/agent/engine';
import type { ListedTools } from './list-tools.ts';
import { changedTools, emptyOffer, makeOffer } from './offer.ts';
import type { Offer } from './offer.ts';
import type { Voice } from './voice.ts';

/** What a server offers, as it changes. */
export interface Offers {
  /** Made of the last list; it outlives the server. */
  current(): Offer;
  /** Takes a list in the place of the former one, and says what is wrong with it. */
  take(listed: ListedTools): void;
}

/** Of a server that listed nothing yet; with `wanted` only tools of these names are offered. */
export function createOffers(
  issuer: McpTools,
  { wanted, voice }: { readonly wanted: readonly string[] | undefined; readonly voice: Voice },
): Offers {
  let offer = emptyOffer;
  return {
    current: () => offer,
    take(listed) {
      const former = offer;
      offer = makeOffer(listed, { issuer, wanted });
      for (const problem of offer.problems) voice.warnOnce(problem);
      for (const changed of changedTools(former, offer)) {
        voice.warn(`it changed its tool ${changed}; what was approved for it is asked again.`);
      }
    },
  };
}
