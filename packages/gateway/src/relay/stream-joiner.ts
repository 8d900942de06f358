import { asciiJson, findMember, replaceValue, WireError } from '@quartermaster/wire';
import { isObject, type JsonObject } from '../json.ts';
import { textOf } from '../latin1.ts';
import type { AnswerReader } from '../tap/answer.ts';
import { type AnswerBlock, createAnswerContent, memberOf, memberText, wholeOf } from './content.ts';
import { type EventRecord, withEditedData } from './records.ts';
import { isSearchBlock } from './block-kinds.ts';
import { isUnfinished } from './unfinished.ts';
import { laterUsage, sumUsage } from './usage-sum.ts';

/** What one record of the provider's stream means for the client's. */
export type StreamStep =
  /** `bytes` (latin1) go to the client; there may be none. */
  | { readonly type: 'pass'; readonly bytes: string }
  /** The same, once what the turn's searches found is durable: the client may go on from here. */
  | { readonly type: 'end'; readonly bytes: string }
  /** The turn goes on with another answer of the provider's (Q4); the client sees nothing of it. */
  | { readonly type: 'pause' };

/**
 * Makes one stream for the client of the streams that the provider answers one turn with: searches left out where the
 * client is not to see them, indexes consecutive, one beginning and one end. Everything else is passed byte for byte, and
 * nothing is held.
 */
export interface StreamJoiner {
  take(record: EventRecord): StreamStep;
  /** The next answer is to the client's own request: behind what it has seen comes all of that, whatever it is. */
  beginAnew(): void;
  /** Whether the provider's answer under way has told its end. */
  isAnswerOver(): boolean;
  /** What the provider has said in this turn so far, searches too. */
  blocks(): readonly AnswerBlock[];
}

const nothing: StreamStep = { type: 'pass', bytes: '' };

/** For one turn. */
export function createStreamJoiner({
  strips,
  reader,
}: {
  /** Whether searches are left out. */
  readonly strips: boolean;
  /** Told of every event that matters to the ledger. */
  readonly reader: AnswerReader;
}): StreamJoiner {
  const content = createAnswerContent();
  /** The client's index for each of the provider's; `undefined`: left out. */
  let indexes = new Map<number, number | undefined>();
  let shownBlocks = 0;
  /** Of each answer of the provider's. */
  let usages: JsonObject[] = [];
  let isPaused = false;
  let isOver = false;
  let isAnew = false;

  function takeData(record: EventRecord, data: string, type: string): StreamStep {
    switch (type) {
      case 'message_start':
        return startAnswer(record, data);
      case 'content_block_start':
        return startBlock(record, data);
      case 'content_block_delta':
        content.delta(indexIn(data), memberOf(data, 'delta') ?? '{}');
        return show(record, data);
      case 'content_block_stop':
        content.stop(indexIn(data));
        return show(record, data);
      case 'message_delta':
        return endTurn(record, data);
      case 'message_stop':
        isOver = true;
        return isPaused ? nothing : asItCame(record);
      default:
        return asItCame(record);
    }
  }

  function startAnswer(record: EventRecord, data: string): StreamStep {
    const usage = valueIn(memberOf(data, 'message') ?? '{}', 'usage');
    usages.push(laterUsage({}, usage));
    content.nextAnswer();
    indexes = new Map();
    [isPaused, isOver] = [false, false];
    return usages.length === 1 ? asItCame(record) : nothing;
  }

  function startBlock(record: EventRecord, data: string): StreamStep {
    const index = indexIn(data);
    const block = content.start(index, memberOf(data, 'content_block') ?? '{}');
    const isShown = !strips || isAnew || !isSearchBlock(block);
    indexes.set(index, isShown ? shownBlocks : undefined);
    if (isShown) shownBlocks += 1;
    return show(record, data);
  }

  /** A part of a block, under the client's index. */
  function show(record: EventRecord, data: string): StreamStep {
    const index = indexIn(data);
    if (!indexes.has(index)) return asItCame(record);
    const shown = indexes.get(index);
    if (shown === undefined) return nothing;
    if (shown === index) return asItCame(record);
    const span = findMember(wholeOf(data), data, 'index');
    if (span === undefined) return asItCame(record);
    return { type: 'pass', bytes: withEditedData(record, [replaceValue(span, String(shown))]) };
  }

  function endTurn(record: EventRecord, data: string): StreamStep {
    const told = usages.pop() ?? {};
    usages = [...usages, laterUsage(told, valueIn(data, 'usage'))];
    const stopReason = memberText(memberOf(data, 'delta') ?? '{}', 'stop_reason');
    isPaused = !isAnew && isUnfinished(stopReason, content.blocks());
    if (isPaused) return { type: 'pause' };
    return { type: stopReason === undefined ? 'pass' : 'end', bytes: withSum(record, data) };
  }

  /** Q7: the provider's own figures, byte for byte, unless the turn took several answers. */
  function withSum(record: EventRecord, data: string): string {
    const span = findMember(wholeOf(data), data, 'usage');
    if (usages.length < 2 || span === undefined) return record.raw;
    return withEditedData(record, [replaceValue(span, asciiJson(sumUsage(usages)))]);
  }

  function tell(type: string, data: string): void {
    // Nearly all events are deltas of texts: the ledger needs none of them.
    if (type === 'content_block_delta' && !reader.isInSearch()) return;
    const event: unknown = JSON.parse(textOf(data));
    if (isObject(event)) reader.event(event);
  }

  return {
    take(record) {
      const { data } = record;
      if (data === undefined) return asItCame(record);
      try {
        const type = record.event === 'message' ? (memberText(data, 'type') ?? '') : record.event;
        tell(type, data);
        return takeData(record, data, type);
      } catch (error) {
        // No JSON: what the client makes of it is its own affair (law 7).
        if (error instanceof WireError || error instanceof SyntaxError) return asItCame(record);
        throw error;
      }
    },
    beginAnew() {
      isAnew = true;
    },
    isAnswerOver: () => isOver,
    blocks: () => content.blocks(),
  };
}

function asItCame({ raw }: EventRecord): StreamStep {
  return { type: 'pass', bytes: raw };
}

function indexIn(data: string): number {
  return Number(memberOf(data, 'index') ?? NaN);
}

function valueIn(json: string, key: string): unknown {
  const value = memberOf(json, key);
  return value === undefined ? undefined : JSON.parse(textOf(value));
}
