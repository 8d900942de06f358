import type { CacheLife, MarkMove, PromptArm, PromptPart } from '@quartermaster/deferral';
import type { CacheMark, ContentBlock, ToolEntry } from '@quartermaster/wire';
import { kindOf } from '../rewrite/tools.ts';
import type { DeferralShape, RemovalShape } from '../rewrite/anthropic.ts';
import type { Decision } from '../threads/decision.ts';
import type { Conversation } from '../conversation/read.ts';
import { digestOf, unmarked } from '../conversation/digest.ts';
import { isGatewaySearch, searchTraces } from './search-traces.ts';

/** How deferral changes one request: the thread's decision, and what its rewrite did. */
export interface Deferral {
  readonly decision: Extract<Decision, { type: 'defer' }>;
  readonly shape: DeferralShape;
}

/** One piece of the rendered prompt before it is weighed; `text` is latin1. */
export interface LayoutPart extends Pick<PromptPart, 'arm' | 'marks'> {
  readonly section: 'tools' | 'system' | 'messages';
  readonly text: string;
  readonly digest: number;
  /** What the model reads of it, where that is not `text` itself: definitions that a search loaded, or none. */
  readonly loads: readonly string[];
  /** Billed by what is seen in it, not by its bytes. */
  readonly isImage: boolean;
  /** Consecutive parts of one run (calls, results) are one position of the cache's look-back. */
  readonly run: string | undefined;
}

/**
 * The parts of a request in render order, of both prompts at once: with deferral, and without. Without a deferral the
 * two are the same, and what is removed is in neither: deferral saves nothing on it. `imaginesSearches`: also those tools
 * whose first call would have needed a search (for a projection, where the transcript has no searches).
 */
export function layOut(
  conversation: Conversation,
  deferral: Deferral | undefined,
  {
    imaginesSearches,
    removal = noRemoval,
  }: { readonly imaginesSearches: boolean; readonly removal?: RemovalShape | undefined },
): readonly LayoutPart[] {
  const { outline, text } = conversation;
  const parts = [
    ...toolParts(conversation, deferral, removal),
    ...(outline.system?.blocks ?? []).map((block) => blockPart(text, block, 'system')),
    ...(deferral?.shape.names.type === 'top-level-system' ? [namesPart(deferral, 'system')] : []),
    ...messageParts(conversation, deferral, imaginesSearches),
  ];
  return withAutomaticMark(parts, lifeOf(outline.mark));
}

const noRemoval: RemovalShape = { removed: new Set(), moves: [] };

function toolParts(
  { outline, text, toolDigests }: Conversation,
  deferral: Deferral | undefined,
  removal: RemovalShape,
): readonly LayoutPart[] {
  const tools = outline.tools?.items ?? [];
  const deferred = deferral?.shape.deferred ?? new Set();
  const undeferredMarks = marksAfter(tools, removal.moves);
  const deferredMarks = deferral === undefined ? undeferredMarks : marksAfter(tools, deferral.shape.moves);
  const parts: LayoutPart[] = [];
  for (const [index, tool] of tools.entries()) {
    if (kindOf(tool) === 'deferred' || removal.removed.has(index)) continue;
    const isDeferred = deferred.has(index);
    const declaration = unmarked(text, tool);
    parts.push({
      arm: isDeferred ? 'undeferred' : 'both',
      marks: {
        deferred: isDeferred ? undefined : lifeOf(deferredMarks.get(index)),
        undeferred: lifeOf(undeferredMarks.get(index)),
      },
      section: 'tools',
      text: declaration,
      digest: toolDigests?.[index] ?? digestOf(declaration),
      loads: [],
      isImage: false,
      run: undefined,
    });
  }
  if (deferral?.shape.hasSearchEntry !== true) return parts;
  const entry = addedPart(deferral.decision.searchTool, 'tools');
  return [...parts, { ...entry, marks: { ...noMarks, deferred: lifeOf(deferredMarks.get('search')) } }];
}

/** The marks that stand on tools, or on the search entry, when the moves are made. */
function marksAfter(
  tools: readonly ToolEntry[],
  moves: readonly MarkMove[],
): ReadonlyMap<number | 'search', CacheMark> {
  const marks = new Map<number | 'search', CacheMark>();
  for (const [index, { mark }] of tools.entries()) if (mark !== undefined) marks.set(index, mark);
  for (const { from } of moves) marks.delete(from);
  for (const { from, to } of moves) {
    const mark = tools[from]?.mark;
    if (mark !== undefined) marks.set(to, mark);
  }
  return marks;
}

function messageParts(
  { outline, text }: Conversation,
  deferral: Deferral | undefined,
  imaginesSearches: boolean,
): readonly LayoutPart[] {
  const messages = outline.messages?.items ?? [];
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const traces = searchTraces(messages, outline.tools?.items ?? [], deferral);
  const loaded = new Set<string>();
  const blockParts = (block: ContentBlock): readonly LayoutPart[] => {
    const part = blockPart(text, block, 'messages');
    if (isGatewaySearch(block, traces)) return [{ ...part, arm: 'deferred', loads: block.references }];
    const tool = imaginesSearches ? traces.firstUse(block, loaded) : undefined;
    return tool === undefined ? [part] : [imaginedSearch(tool), part];
  };
  const parts: LayoutPart[] = [];
  for (const [index, message] of messages.entries()) {
    const isGone = message.isTurnScoped && index < lastUser;
    const blocks = isGone ? [] : message.content.blocks;
    parts.push(...namesParts(deferral, 'new-message', index));
    for (const [at, block] of blocks.entries()) {
      parts.push(...restoredParts(deferral, index, at), ...blockParts(block));
    }
    parts.push(...restoredParts(deferral, index, blocks.length));
    parts.push(...namesParts(deferral, 'inside-message', index));
  }
  parts.push(...namesParts(deferral, 'new-message', messages.length));
  return parts;
}

/** The names list, where it stands at this place of the messages. */
function namesParts(
  deferral: Deferral | undefined,
  type: 'new-message' | 'inside-message',
  index: number,
): readonly LayoutPart[] {
  const names = deferral?.shape.names;
  if (deferral === undefined || names?.type !== type || names.index !== index) return [];
  return [namesPart(deferral, 'messages')];
}

const noMarks = { deferred: undefined, undeferred: undefined } as const;

/** What deferral adds to the prompt. */
function addedPart(text: string, section: LayoutPart['section']): LayoutPart {
  return {
    arm: 'deferred',
    marks: noMarks,
    section,
    text,
    digest: digestOf(text),
    loads: [],
    isImage: false,
    run: undefined,
  };
}

function namesPart({ decision }: Deferral, section: LayoutPart['section']): LayoutPart {
  return addedPart(JSON.stringify({ type: 'text', text: decision.namesList }), section);
}

/** What the client does not see of its own conversation, and the provider is told all the same (Q2). */
function restoredParts(
  deferral: Deferral | undefined,
  message: number,
  index: number,
): readonly LayoutPart[] {
  if (deferral === undefined || deferral.shape.restored.length === 0) return [];
  const places = deferral.shape.restored.filter(
    (place) => place.message === message && place.index === index,
  );
  const blocks = places.flatMap((place) => place.blocks);
  return blocks.map(({ json, references }) => ({ ...addedPart(json, 'messages'), loads: references }));
}

function imaginedSearch(tool: string): LayoutPart {
  return { ...addedPart('', 'messages'), loads: [tool] };
}

/** What is shorter names its picture by an address. */
const minImageLength = 1_024;

function blockPart(text: string, block: ContentBlock, section: LayoutPart['section']): LayoutPart {
  const life = lifeOf(block.mark ?? block.nestedMarks.at(-1));
  const shown = unmarked(text, block);
  const isInRun = block.type === 'tool_use' || block.type === 'tool_result';
  return {
    arm: 'both',
    marks: { deferred: life, undeferred: life },
    section,
    text: shown,
    digest: digestOf(shown),
    loads: [],
    isImage: block.holdsImage && block.span.end - block.span.start > minImageLength,
    run: isInRun ? block.type : undefined,
  };
}

function lifeOf(mark: CacheMark | undefined): CacheLife | undefined {
  if (mark === undefined) return undefined;
  return mark.ttl === '1h' ? 'long' : 'short';
}

/** Top-level `cache_control` stands on the last part of each prompt. */
function withAutomaticMark(parts: readonly LayoutPart[], life: CacheLife | undefined): readonly LayoutPart[] {
  if (life === undefined) return parts;
  const last: Readonly<Record<PromptArm, number>> = {
    deferred: parts.findLastIndex(({ arm }) => arm !== 'undeferred'),
    undeferred: parts.findLastIndex(({ arm }) => arm !== 'deferred'),
  };
  return parts.map((part, index) => {
    const fill = (arm: PromptArm): CacheLife | undefined =>
      part.marks[arm] ?? (index === last[arm] ? life : undefined);
    return { ...part, marks: { deferred: fill('deferred'), undeferred: fill('undeferred') } };
  });
}

/** Whether a part belongs to the prompt of one arm. */
export function isShown({ arm: shownIn }: Pick<LayoutPart, 'arm'>, arm: PromptArm): boolean {
  return shownIn === 'both' || shownIn === arm;
}
