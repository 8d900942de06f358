import { knownClients, recogniseClient } from '@quartermaster/gateway';
import type { Client } from '@quartermaster/gateway';
import { deferredByGateway, findDifferences } from './differences.ts';
import type { ClientDriver } from './driver.ts';
import type { Evidence } from './stage.ts';
import type { Story } from './stories.ts';

/** What came of one client in one story. */
export type Cell =
  /** `deferred`: how many tools the gateway deferred. */
  | { readonly type: 'same'; readonly deferred: number }
  /** It differs as it must: `why` says by what rule. */
  | { readonly type: 'explained'; readonly deferred: number; readonly why: string }
  | { readonly type: 'differs'; readonly differences: readonly string[] }
  /** The client takes no part in the story. */
  | { readonly type: 'absent'; readonly why: string };

/** Judges a story by its two evidences. */
export function judge(
  played: { readonly driver: ClientDriver; readonly story: Story },
  direct: Evidence,
  through: Evidence,
): Cell {
  const { driver, story } = played;
  const client = knownClients.find(({ id }) => id === driver.clientId) ?? recogniseClient({});
  const differences = [
    ...failures(story, direct),
    ...findDifferences({ ...played, echoesSearch: client.echoesSearch }, direct, through),
    ...misnamed(client, direct),
    ...otherHabits(client, story, direct),
  ];
  const deferred = deferredByGateway(through);
  if (differences.length === 0) return { type: 'same', deferred };
  const explanation = story.explain?.(client);
  const isExplained = explanation !== undefined && differences.every((one) => explanation.of.test(one));
  return isExplained
    ? { type: 'explained', deferred, why: explanation.why }
    : { type: 'differs', differences };
}

/** Two runs that fail alike are alike, and say nothing. */
function failures({ lines, fault }: Story, { files, turns }: Evidence): readonly string[] {
  const written = (files['story.txt'] ?? '').split('\n').length - 1;
  const failed = fault === undefined && turns.some(({ exitCode }) => exitCode !== 0);
  return [
    ...(written === lines ? [] : [`without the gateway ${written} of ${lines} lines were written`]),
    ...(failed ? ['without the gateway the client failed'] : []),
  ];
}

/** The client table must know each client by what it really sends. */
function misnamed(client: Client, { headers }: Evidence): readonly string[] {
  const others = headers.map((sent) => recogniseClient(sent).id).filter((id) => id !== client.id);
  return [...new Set(others)].map((id) => `the client table takes it for ${id}`);
}

/** The client table must say what the client does when a request of a turn fails. */
function otherHabits({ onFault }: Client, { fault }: Story, direct: Evidence): readonly string[] {
  if (fault === undefined) return [];
  const said =
    fault === 'broken-stream' ? onFault.asksAgainAfterBrokenStream : onFault.retriedStatuses.includes(fault);
  const failedAt = direct.received.findIndex(({ status }) => status === fault);
  // The first request is answered; the second meets the fault, whichever that is.
  const asksAgain = direct.received.slice(Math.max(failedAt, 1) + 1).length > 0;
  return said === asksAgain ? [] : [`the client table says ${said ? 'that' : 'not that'} it asks again`];
}
