import type { ToolDeclaration } from '@quartermaster/providers';
import type { HistoryEntry } from '../sessions/history.ts';
import { digestOf } from '../sessions/session-tools.ts';

/** Those of a catalogue that a model has found, as they are declared. */
export function foundAmong(
  declarations: readonly ToolDeclaration[],
  names: readonly string[],
): readonly ToolDeclaration[] {
  return declarations.flatMap(({ isSearchOnly = false, ...declaration }) =>
    isSearchOnly && names.includes(declaration.name) ? [declaration] : [],
  );
}

/** What of a conversation's catalogue stands fast. */
export interface KeptCatalogue {
  readonly declarations: readonly ToolDeclaration[];
  /** Names of those that have another text by now (D5). */
  readonly outdated: readonly string[];
}

/**
 * Declares what was found as it was then, also where its toolset has another text for it by now, has it no more or has
 * not started yet: the conversation refers to it, and its text stands in the prompt from there on (case 17, D12).
 */
export function keepFound(
  declarations: readonly ToolDeclaration[],
  conversation: readonly HistoryEntry[],
): KeptCatalogue {
  const found = conversation.flatMap((entry) => entry.found ?? []);
  const first = new Map(found.toReversed().map((tool) => [tool.name, { ...tool, isSearchOnly: true }]));
  const catalogue = declarations.filter(({ isSearchOnly }) => isSearchOnly === true);
  const isOutdated = (tool: ToolDeclaration): boolean =>
    digestOf(first.get(tool.name) ?? tool) !== digestOf(tool);
  return {
    declarations: [
      ...declarations.filter((tool) => tool.isSearchOnly !== true),
      ...catalogue.filter(({ name }) => !first.has(name)),
      ...first.values(),
    ],
    outdated: catalogue.filter(isOutdated).map(({ name }) => name),
  };
}
