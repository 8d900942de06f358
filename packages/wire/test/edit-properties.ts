import {
  appendItem,
  applyEdits,
  asciiJson,
  insertMember,
  removeItems,
  removeMember,
  setMember,
  undoEdits,
} from '@quartermaster/wire';
import type { Edit, Items, Span, ToolEntry } from '@quartermaster/wire';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { hostileBodyWithTools } from './hostile-body.ts';
import { createDice, parseLatin1 } from './hostile-json.ts';
import { requireOutline, spelled } from './outline-properties.ts';
import type { Runs } from './outline-properties.ts';

/** Law 2, and that no byte outside of the edited spans is touched. */
export function checkEditsAreLocal(runs: Runs): void {
  const text = fc.string({
    maxLength: 40,
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  });
  const cuts = fc.array(fc.nat(40), { maxLength: 12 });
  fc.assert(
    fc.property(text, cuts, fc.array(text), fc.nat(), (original, places, texts, seed) => {
      const edits = editsAt(
        places.map((place) => Math.min(place, original.length)),
        texts,
        createDice(seed),
      );
      const edited = applyEdits(original, edits);
      const undo = undoEdits(original, edits);
      expect(applyEdits(edited, undo)).toBe(original);
      expect(outside(edited, undo)).toBe(outside(original, edits));
    }),
    runs,
  );
}

/** Neighbouring places make spans; order is shuffled, for which insertions at one place have to stand together. */
function editsAt(
  places: readonly number[],
  texts: readonly string[],
  roll: (sides: number) => number,
): readonly Edit[] {
  const sorted = places.toSorted((a, b) => a - b);
  const edits: Edit[] = [];
  for (let index = 0; index + 1 < sorted.length; index += 2) {
    const [start = 0, end = 0] = sorted.slice(index, index + 2);
    const edit = { span: { start, end }, text: texts[index] ?? '' };
    edits.splice(roll(edits.length + 1), 0, edit);
  }
  return edits;
}

function outside(text: string, edits: readonly Edit[]): string {
  const isInside = (at: number): boolean => edits.some(({ span }) => span.start <= at && at < span.end);
  return [...text].filter((_character, at) => !isInside(at)).join('');
}

/** Cases 41 and 43: a rewrite as the gateway makes it means what it should, and leaves everything else as it was. */
export function checkRewritesMeanWhatTheySay(runs: Runs): void {
  fc.assert(
    fc.property(spelled(hostileBodyWithTools), fc.nat(), (text, seed) => {
      const outline = requireOutline(text);
      if (outline.tools === undefined) throw new Error('The body came without tools.');
      const edits = rewriteTools(text, outline.tools, createDice(seed));
      const edited = applyEdits(text, edits);
      expect(applyEdits(edited, undoEdits(text, edits))).toBe(text);
      expect(applyEdits(text, edits)).toBe(edited);

      const rewritten = requireOutline(edited);
      expect(parts(edited, rewritten.messages?.items)).toEqual(parts(text, outline.messages?.items));
      expect(edited.startsWith(text.slice(0, outline.tools.span.start))).toBe(true);
      expect(edited.endsWith(text.slice(outline.tools.span.end))).toBe(true);
      expect(parts(edited, rewritten.tools?.items).map(parseLatin1)).toEqual(
        expectTools(text, outline.tools, createDice(seed)),
      );
    }),
    runs,
  );
}

const search = { type: 'tool_search', name: 'süche' };

type Fate = 'gone' | 'deferred' | 'unmarked' | 'swapped' | 'same';

function fatesOf(tools: Items<ToolEntry>, roll: (sides: number) => number): readonly Fate[] {
  const fates: readonly Fate[] = ['gone', 'deferred', 'unmarked', 'swapped', 'same'];
  const drawn = tools.items.map(() => fates[roll(fates.length)] ?? 'same');
  // Emptying a list and adding to it is two edits of one place.
  return drawn.every((fate) => fate === 'gone') ? drawn.map(() => 'same') : drawn;
}

function rewriteTools(
  text: string,
  tools: Items<ToolEntry>,
  roll: (sides: number) => number,
): readonly Edit[] {
  const fates = fatesOf(tools, roll);
  const gone = tools.items.filter((_tool, index) => fates[index] === 'gone').map((tool) => tool.span);
  const kept = tools.items.flatMap((tool, index) => rewriteTool(text, tool, fates[index] ?? 'same'));
  return [appendItem(tools.span, text, asciiJson(search)), ...kept, ...removeItems(text, gone)];
}

function rewriteTool(text: string, tool: ToolEntry, fate: Fate): readonly Edit[] {
  const unmark = tool.mark === undefined ? [] : [removeMember(text, tool.mark.span)];
  if (fate === 'deferred') return [setMember(tool.span, text, 'defer_loading', 'true')];
  if (fate === 'unmarked') return unmark;
  if (fate === 'swapped') return [...unmark, insertMember(tool.span, text, '"added":"\\u00e9"')];
  return [];
}

function expectTools(
  text: string,
  tools: Items<ToolEntry>,
  roll: (sides: number) => number,
): readonly unknown[] {
  const fates = fatesOf(tools, roll);
  const kept = tools.items.flatMap((tool, index) => {
    const value = Object(parseLatin1(text.slice(tool.span.start, tool.span.end)));
    const fate = fates[index];
    if (fate === 'gone') return [];
    if (fate === 'deferred') return [{ ...value, defer_loading: true }];
    if ((fate === 'unmarked' || fate === 'swapped') && tool.mark !== undefined) delete value.cache_control;
    return [fate === 'swapped' ? { ...value, added: 'é' } : value];
  });
  return [...kept, search];
}

function parts(text: string, items: readonly { readonly span: Span }[] = []): readonly string[] {
  return items.map(({ span }) => text.slice(span.start, span.end));
}
