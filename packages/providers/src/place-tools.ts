import type { Message, ToolResult } from '@quartermaster/agent/messages';
import type { LoadPoint } from '@quartermaster/deferral';
import type { LateToolPlaces, ModelRequest, ToolDeclaration } from './language-model.ts';

/** A request's tools by where they stand in it. */
export interface PlacedTools {
  /** From the start, and after them those that no place is left for, in the order in which they came. */
  readonly inline: readonly ToolDeclaration[];
  /** By the id of the call whose result they enter with. */
  readonly afterCall: ReadonlyMap<string, readonly ToolDeclaration[]>;
  /** By the id of the message at whose end they enter. */
  readonly afterMessage: ReadonlyMap<string, readonly ToolDeclaration[]>;
  /** By name, the same whether or not one of them was loaded since; none for a model without a search of its own. */
  readonly catalogue: readonly ToolDeclaration[];
}

/** What a model does with tools that come late. */
export interface ToolTaking {
  readonly lateTools: LateToolPlaces;
  readonly searchesTools: boolean;
}

/** The taking of a model that nothing is known of. */
export const plainToolTaking: ToolTaking = { lateTools: 'list', searchesTools: false };

/** Finds each tool its place. A pure function of the request: the same place in every request of a conversation. */
export function placeTools(
  { tools, messages }: Pick<ModelRequest, 'tools' | 'messages'>,
  { lateTools, searchesTools }: ToolTaking,
): PlacedTools {
  const findPlace = lateTools === 'list' ? () => undefined : findPlaceIn(messages, lateTools);
  const inline: ToolDeclaration[] = [];
  const afterCall = new Map<string, ToolDeclaration[]>();
  const afterMessage = new Map<string, ToolDeclaration[]>();
  for (const tool of tools) {
    if (tool.isSearchOnly === true || (searchesTools && tool.standsInForSearch === true)) continue;
    const place = tool.entersAt && findPlace(tool.entersAt);
    if (place === undefined) inline.push(tool);
    else if (place.type === 'call') append(afterCall, place.callId, tool);
    else append(afterMessage, place.messageId, tool);
  }
  const declared = new Set(inline.map(({ name }) => name));
  const catalogue = searchesTools
    ? tools.filter(({ isSearchOnly, name }) => isSearchOnly === true && !declared.has(name)).toSorted(byName)
    : [];
  return { inline, afterCall, afterMessage, catalogue };
}

type FindPlace = (at: LoadPoint) => LoadPoint | undefined;

/**
 * Where a tool can enter, as near to its load point as the model takes it: at the end of a message that takes none, the
 * last success before it stands in (D2). `undefined` where the messages have no such place.
 */
function findPlaceIn(messages: readonly Message[], lateTools: 'tail' | 'call'): FindPlace {
  const calls = new Set(messages.flatMap((message) => resultsOf(message).map(({ callId }) => callId)));
  return (at) => {
    if (at.type === 'call') return calls.has(at.callId) ? at : undefined;
    const index = messages.findIndex(({ id, role }) => id === at.messageId && role !== 'assistant');
    if (lateTools === 'tail') return index < 0 ? undefined : at;
    const callId = messages
      .slice(0, index + 1)
      .flatMap(resultsOf)
      .findLast(({ outcome }) => outcome === 'completed')?.callId;
    return callId === undefined ? undefined : { type: 'call', callId };
  };
}

/** All late tools of a kind, in the order in which they came. */
export function toolsIn(places: ReadonlyMap<string, readonly ToolDeclaration[]>): readonly ToolDeclaration[] {
  return [...places.values()].flat();
}

function resultsOf(message: Message): readonly ToolResult[] {
  return message.role === 'tool' ? message.results : [];
}

function append(map: Map<string, ToolDeclaration[]>, key: string, tool: ToolDeclaration): void {
  map.set(key, [...(map.get(key) ?? []), tool]);
}

/** By code units, the same on every machine. */
function byName(left: ToolDeclaration, right: ToolDeclaration): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}
