import type { UpstreamRequest } from '../upstream.ts';
import { comparableOutput, comparableRequests } from './comparable.ts';
import type { ClientDriver } from './driver.ts';
import type { Evidence } from './stage.ts';
import type { Story } from './stories.ts';

/**
 * What a user, a script or the provider could tell a story through the gateway from the same story without it by; empty
 * where nothing. Says where, and never what stood there: the texts belong to the vendors.
 */
export function findDifferences(
  played: { readonly driver: ClientDriver; readonly story: Story; readonly echoesSearch: boolean },
  direct: Evidence,
  through: Evidence,
): readonly string[] {
  const { driver, story, echoesSearch } = played;
  const view = (evidence: Evidence) => comparable(evidence, echoesSearch);
  const where = firstDifference(view(direct), view(through));
  return [
    ...(where === undefined ? [] : [`differs at ${where}`]),
    ...newRefusals(direct.received, through.received),
    ...newlyBroken(direct.received, through.received),
    ...movedPrefixes(direct.received, through.received),
    ...(story.needsDeferral ? missingDeferral(driver, through) : []),
  ];
}

/** How many tools the gateway deferred in a story: more than the client did itself. */
export function deferredByGateway(evidence: Evidence): number {
  const sent = evidence.sent.map((body) => body.split('"defer_loading":true').length - 1);
  const received = evidence.received.map(({ toolsDeferred }) => toolsDeferred.length);
  return Math.max(0, Math.max(0, ...received) - Math.max(0, ...sent));
}

function comparable(evidence: Evidence, withoutSearch: boolean): unknown {
  const { room, turns, files, sent } = evidence;
  return {
    exitCodes: turns.map(({ exitCode }) => exitCode ?? 'killed'),
    files,
    output: comparableOutput(
      turns.map(({ stdout }) => stdout),
      { room, withoutSearch },
    ),
    requests: comparableRequests(sent, { room, withoutSearch }),
  };
}

/** The provider refuses nothing; what a client gets refused by its own doing it gets refused without the gateway too. */
function newRefusals(
  direct: readonly UpstreamRequest[],
  through: readonly UpstreamRequest[],
): readonly string[] {
  const known = new Set(direct.flatMap(refusalOf));
  return [...new Set(through.flatMap(refusalOf))]
    .filter((refusal) => !known.has(refusal))
    .map((refusal) => `the provider refuses: ${refusal}`);
}

/** Some clients ask for blocks of another prefix to be dropped in silence: a prefix that moved is no refusal there. */
function newlyBroken(
  direct: readonly UpstreamRequest[],
  through: readonly UpstreamRequest[],
): readonly string[] {
  const countBroken = (requests: readonly UpstreamRequest[]): number =>
    requests.filter(({ brokenBinding, status }) => brokenBinding && status < 400).length;
  return countBroken(through) > countBroken(direct)
    ? ['thinking blocks stand behind a prefix that moved']
    : [];
}

/** What the provider renders grows through the gateway wherever it grows without (law 3). */
function movedPrefixes(
  direct: readonly UpstreamRequest[],
  through: readonly UpstreamRequest[],
): readonly string[] {
  // Where the requests are not the same ones, there is another difference to tell.
  if (direct.length !== through.length) return [];
  const moved = direct.flatMap((_, index) =>
    growsAt(direct, index) && !growsAt(through, index) ? [`the prefix moved at request ${index}`] : [],
  );
  return moved.slice(0, 1);
}

function growsAt(requests: readonly UpstreamRequest[], index: number): boolean {
  const before = requests[index - 1]?.renderedPrefixHashes ?? [];
  const after = requests[index]?.renderedPrefixHashes ?? [];
  return before.every((hash, position) => after[position] === hash);
}

function refusalOf({ status, error }: UpstreamRequest): readonly string[] {
  if (status < 400 || error === null || error.type === 'simulator_fault') return [];
  return [`${status} ${error.message.replaceAll(/\d+/g, 'N').slice(0, 100)}`];
}

function missingDeferral(
  { seldom }: ClientDriver,
  { received, nothingReasons }: Evidence,
): readonly string[] {
  const isDeferred = received.some(({ toolsDeferred }) => toolsDeferred.includes(seldom[0].tool));
  return isDeferred ? [] : [`nothing was deferred: ${JSON.stringify(nothingReasons)}`];
}

/** The path of the first place where two values of JSON differ. */
function firstDifference(left: unknown, right: unknown, path = ''): string | undefined {
  if (Object.is(left, right)) return undefined;
  if (!isContainer(left) || !isContainer(right)) return path;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[key], right[key], path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
