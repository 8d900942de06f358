import { comparableOutput, comparableRequests } from './comparable.ts';
import type { ClientDriver } from './driver.ts';
import { complaintsOfProvider } from './provider-complaints.ts';
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
    ...complaintsOfProvider(direct.received, through.received),
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
