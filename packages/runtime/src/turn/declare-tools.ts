import { markTools } from '@quartermaster/agent/deferral';
import type { CallPosition, PrefixBreak } from '@quartermaster/agent/deferral';
import type { Message } from '@quartermaster/agent/messages';
import type { LanguageModel, ToolDeclaration } from '@quartermaster/providers';
import { digestOf } from '../sessions/session-tools.ts';
import type { SessionTools } from '../sessions/session-tools.ts';

/** What one request tells a model of tools. */
export interface DeclaredTools {
  readonly declarations: readonly ToolDeclaration[];
  /** To be saved before the request is sent; left out where nothing changed (D6). */
  readonly changed?: SessionTools;
  /** Tools that move the prompt's beginning. */
  readonly breaks: readonly PrefixBreak[];
  /** Names of tools whose text is another by now: the session keeps the one that it has sent (D5). */
  readonly outdated: readonly string[];
}

/** Finds the place of each tool in a request with these messages: that of earlier requests, or the first one for a new tool. */
export function declareTools(
  { deferrals, declarations }: SessionTools,
  present: readonly ToolDeclaration[],
  position: CallPosition,
): DeclaredTools {
  const described = present.map((declaration) => ({ declaration, digest: digestOf(declaration) }));
  const marking = markTools(
    deferrals,
    described.map(({ declaration: { name, isSearchOnly = false }, digest }) => ({
      name,
      digest,
      isSearchOnly,
    })),
    position,
  );
  const frozen = new Set(marking.deferrals.definitions.values());
  // One that was added out of a catalogue is there twice.
  const fresh = described.filter(
    ({ digest, declaration }) => frozen.has(digest) && declaration.isSearchOnly !== true,
  );
  const known = new Map([
    ...declarations,
    ...fresh.map(({ digest, declaration }) => [digest, declaration] as const),
  ]);
  return {
    declarations: [
      ...marking.tools.flatMap(({ digest, place }) => {
        const declaration = known.get(digest);
        if (declaration === undefined) return [];
        return [place.type === 'inline' ? declaration : { ...declaration, entersAt: place }];
      }),
      ...present.filter((declaration) => declaration.isSearchOnly === true),
    ],
    ...(marking.isChanged && { changed: { deferrals: marking.deferrals, declarations: known } }),
    breaks: marking.breaks,
    outdated: marking.tools.flatMap(({ name, isOutdated }) => (isOutdated ? [name] : [])),
  };
}

/** The tools that earlier requests declared, as they did; nothing enters (for a request that is no turn of its own). */
export function declareKnownTools(
  tools: SessionTools,
  present: readonly ToolDeclaration[],
  { lateTools }: Pick<LanguageModel, 'lateTools'>,
): readonly ToolDeclaration[] {
  const { baseline, definitions } = tools.deferrals;
  const known = baseline === undefined ? present : present.filter(({ name }) => definitions.has(name));
  return declareTools(tools, known, { lastSuccess: undefined, last: undefined, lateTools }).declarations;
}

/** Where a request with these messages stands (D9, D10). The last of them is no answer. */
export function positionIn(
  messages: readonly Message[],
  { lateTools }: Pick<LanguageModel, 'lateTools'>,
): CallPosition {
  const index = messages.findLastIndex((message) => lastSuccessIn(message) !== undefined);
  const callId = lastSuccessIn(messages[index]);
  const isSent = messages.slice(index + 1).some(({ role }) => role === 'assistant');
  return {
    lastSuccess: callId === undefined ? undefined : { callId, isSent },
    last: messages.at(-1)?.id,
    lateTools,
  };
}

/** By its place among the results, whenever it ended; what failed, was denied or cut off is no success. */
function lastSuccessIn(message: Message | undefined): string | undefined {
  if (message?.role !== 'tool') return undefined;
  return message.results.findLast(({ outcome }) => outcome === 'completed')?.callId;
}
