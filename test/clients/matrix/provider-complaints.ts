import { blocksOf, parseRequest } from '../request-bytes.ts';
import type { UpstreamRequest } from '../upstream.ts';

/** What the provider has to say against a story's requests through the gateway, and has not without it. */
export function complaintsOfProvider(
  direct: readonly UpstreamRequest[],
  through: readonly UpstreamRequest[],
): readonly string[] {
  return [
    ...newRefusals(direct, through),
    ...newlyBroken(direct, through),
    ...movedPrefixes(direct, through),
    ...unfoundTools(through),
  ];
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

/** Where a deferred tool was called, the search that found it stands before the call, whether its client saw it or not (Q2). */
function unfoundTools(through: readonly UpstreamRequest[]): readonly string[] {
  const unfound = through.flatMap(({ raw, toolsDeferred }, index) => {
    const found = new Set<string>();
    const calls = parseRequest(raw)
      .messages.flatMap(blocksOf)
      .flatMap((block) => {
        for (const [, name] of JSON.stringify(block).matchAll(/"tool_name":"([^"]+)"/g))
          found.add(name ?? '');
        const name = block.type === 'tool_use' ? block.name : undefined;
        return name !== undefined && toolsDeferred.includes(name) && !found.has(name) ? [name] : [];
      });
    return calls.map((name) => `no search for ${name} stands before its call in request ${index}`);
  });
  return unfound.slice(0, 1);
}
