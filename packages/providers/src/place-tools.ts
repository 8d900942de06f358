import type { Message } from '@quartermaster/agent/messages';
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
  const present = presentIds(messages);
  const inline: ToolDeclaration[] = [];
  const afterCall = new Map<string, ToolDeclaration[]>();
  const afterMessage = new Map<string, ToolDeclaration[]>();
  for (const tool of tools) {
    if (tool.isSearchOnly === true) continue;
    const { entersAt } = tool;
    if (entersAt?.type === 'call' && lateTools !== 'list' && present.calls.has(entersAt.callId)) {
      append(afterCall, entersAt.callId, tool);
    } else if (
      entersAt?.type === 'message' &&
      lateTools === 'tail' &&
      present.messages.has(entersAt.messageId)
    ) {
      append(afterMessage, entersAt.messageId, tool);
    } else {
      inline.push(tool);
    }
  }
  const declared = new Set(inline.map(({ name }) => name));
  const catalogue = searchesTools
    ? tools.filter(({ isSearchOnly, name }) => isSearchOnly === true && !declared.has(name)).toSorted(byName)
    : [];
  return { inline, afterCall, afterMessage, catalogue };
}

/** All late tools of a kind, in the order in which they came. */
export function toolsIn(places: ReadonlyMap<string, readonly ToolDeclaration[]>): readonly ToolDeclaration[] {
  return [...places.values()].flat();
}

function presentIds(messages: readonly Message[]) {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  return {
    calls: new Set(results.map(({ callId }) => callId)),
    messages: new Set(messages.filter(({ role }) => role !== 'assistant').map(({ id }) => id)),
  };
}

function append(map: Map<string, ToolDeclaration[]>, key: string, tool: ToolDeclaration): void {
  map.set(key, [...(map.get(key) ?? []), tool]);
}

/** By code units, the same on every machine. */
function byName(left: ToolDeclaration, right: ToolDeclaration): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}
