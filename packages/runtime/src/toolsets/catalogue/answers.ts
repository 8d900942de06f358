import { nearestNames } from '@quartermaster/agent/settings';
import type { ToolDeclaration } from '@quartermaster/providers';
import { oneLine } from '../../one-line.ts';
import type { CatalogueIndex } from './catalogue-index.ts';
import { addToolName, searchToolsName } from './tool-names.ts';

const maxFoundWaiting = 5;
const maxFoundLoaded = 3;
const maxNearNames = 3;
const maxDescriptionLength = 160;

/**
 * What a search tells a model. Names stand bare at the beginning of their lines, to be given back as they are (case 35);
 * what is loaded already is told too, so that no miss reads as if a tool were not there (case 23).
 */
export function answerSearch(words: string, catalogue: CatalogueIndex): string {
  const found = catalogue.search(words);
  const waiting = found.filter(waits).slice(0, maxFoundWaiting);
  const loaded = found.filter((tool) => !waits(tool)).slice(0, maxFoundLoaded);
  const parts = [
    ...(waiting.length > 0 ? [`Not loaded yet; load one with ${addToolName}:`, ...waiting.map(toLine)] : []),
    ...(loaded.length > 0 ? ['Loaded already; call it directly:', ...loaded.map(toLine)] : []),
  ];
  if (parts.length > 0) return parts.join('\n');
  const count = catalogue.tools.filter(waits).length;
  return `No tool has one of these words in its name or its description; other words may find one. ${count} tools are not loaded yet.`;
}

/** What `add_tool` tells a model. Throws for a name that no tool has, so that the call counts as no success. */
export function answerAdding(name: string, catalogue: CatalogueIndex): string {
  const tool = catalogue.find(name);
  if (tool === undefined) throw new Error(`expected the name of a tool; ${adviseOn(name, catalogue)}`);
  if (!waits(tool)) return `${name} is loaded already; call it directly.`;
  return `Loaded ${name}. Call it like any other tool from now on.`;
}

function adviseOn(name: string, catalogue: CatalogueIndex): string {
  const known = catalogue.tools.map((tool) => tool.name);
  const alike = catalogue.search(name).map((tool) => tool.name);
  const near = [...new Set([...nearestNames(name, known), ...alike])].slice(0, maxNearNames);
  const advice = near.length === 0 ? `Find one with ${searchToolsName}.` : `Near names: ${near.join(', ')}.`;
  return `none is called ${JSON.stringify(name)}. ${advice}`;
}

function waits({ isSearchOnly }: ToolDeclaration): boolean {
  return isSearchOnly === true;
}

function toLine({ name, description }: ToolDeclaration): string {
  return `${name}: ${oneLine(description, { maxLength: maxDescriptionLength })}`;
}
