import { readAnthropicUsage, type Usage } from '@quartermaster/wire';
import { type JsonObject, objectOf } from '../json.ts';
import { createTurnUsage } from './turn-usage.ts';

/**
 * What one Messages answer told, read as it passed; where the gateway had the provider go on with it, all that it told.
 * No text of it is kept but that of the searches.
 */
export interface AnswerFacts {
  /** Of the first sampling alone, where the answer tells it: what the prompt itself was billed. */
  readonly firstUsage: Usage | undefined;
  /** Of the whole answer; `undefined` where it told none. */
  readonly usage: Usage | undefined;
  /** How often the provider was asked to go on (Q4): each time it was billed for the prompt again. */
  readonly continuations: number;
  /** Tool searches that the model made. */
  readonly searches: number;
  /** Names and inputs of the searches, as far as they were kept; `searches` beyond them are not measured. */
  readonly searchTexts: readonly string[];
  /** Of several searches in one answer, those whose result never came. */
  readonly droppedSearches: number;
  /** Client tools that were called. */
  readonly calls: ReadonlySet<string>;
  /** Tools that the searches loaded. */
  readonly loaded: ReadonlySet<string>;
  /** Whether the provider ran tools other than its tool search, which may have been billed too. */
  readonly hasOtherServerTools: boolean;
  /** Whether it ended as an answer ends. */
  readonly isComplete: boolean;
}

/** Collects an answer's facts from its parts, in bounded memory. A message that begins after another continues it. */
export interface AnswerReader {
  /** A streamed answer's event. */
  event(event: JsonObject): void;
  /** A whole answer. */
  message(message: JsonObject): void;
  /** Whether the input of a search is being told now: other deltas need no reading. */
  isInSearch(): boolean;
  facts(): AnswerFacts;
}

/** Names kept per answer; a model does not call more tools than it could be told of. */
const maxNames = 10_000;
/** A query has at most 500 characters. */
const maxSearchLength = 4_096;
const maxSearchTexts = 256;

/** Names and inputs of searches, as they are told. */
interface SearchTexts {
  readonly texts: readonly string[];
  begin(name: string, input: unknown): void;
  add(json: unknown): void;
  end(): void;
  isOpen(): boolean;
}

function createSearchTexts(): SearchTexts {
  const texts: string[] = [];
  let open: { readonly name: string; input: string } | undefined;
  const add = (json: unknown): void => {
    if (open === undefined || typeof json !== 'string') return;
    if (open.input.length < maxSearchLength) open.input += json;
  };
  return {
    texts,
    begin(name, input) {
      open = { name, input: '' };
      if (isFilled(input)) add(JSON.stringify(input));
    },
    add,
    end() {
      if (open !== undefined && texts.length < maxSearchTexts && open.input.length < maxSearchLength) {
        texts.push(`${open.name} ${open.input === '' ? '{}' : open.input}`);
      }
      open = undefined;
    },
    isOpen: () => open !== undefined,
  };
}

/** For one answer, or one turn of several. */
export function createAnswerReader(): AnswerReader {
  const usage = createTurnUsage();
  let firstUsage: Usage | undefined;
  /** Of a first message that is one sampling, told apart or not. */
  let firstWhole: Usage | undefined;
  let searches = 0;
  let results = 0;
  let isComplete = false;
  let isPaused = false;
  let hasOtherServerTools = false;
  const searchTexts = createSearchTexts();
  const calls = new Set<string>();
  const loaded = new Set<string>();

  function startBlock(block: JsonObject): void {
    const name = String(block['name']);
    switch (block['type']) {
      case 'tool_use':
        if (calls.size < maxNames) calls.add(name);
        break;
      case 'server_tool_use':
        if (!name.startsWith('tool_search_tool_')) {
          hasOtherServerTools = true;
          break;
        }
        searches += 1;
        searchTexts.begin(name, block['input']);
        break;
      case 'tool_search_tool_result':
        results += 1;
        for (const tool of namesIn(block)) if (loaded.size < maxNames) loaded.add(tool);
        break;
      default:
    }
  }

  function startMessage(): void {
    usage.start();
    isComplete = false;
    isPaused = false;
  }

  return {
    event(event) {
      switch (event['type']) {
        case 'message_start':
          startMessage();
          usage.add(objectOf(event['message'])['usage']);
          if (usage.messages() === 1) firstUsage = usage.current();
          break;
        case 'content_block_start':
          startBlock(objectOf(event['content_block']));
          break;
        case 'content_block_delta':
          searchTexts.add(objectOf(event['delta'])['partial_json']);
          break;
        case 'content_block_stop':
          searchTexts.end();
          break;
        case 'message_delta':
          usage.add(event['usage']);
          isPaused ||= objectOf(event['delta'])['stop_reason'] === 'pause_turn';
          break;
        case 'message_stop':
          isComplete = true;
          break;
        default:
      }
    },
    message(message) {
      startMessage();
      usage.add(message['usage']);
      if (usage.messages() === 1) firstUsage = firstSamplingIn(message);
      for (const block of Array.isArray(message['content']) ? message['content'] : []) {
        startBlock(objectOf(block));
        searchTexts.end();
      }
      if (usage.messages() === 1 && results === 0) firstWhole = usage.current();
      isPaused = message['stop_reason'] === 'pause_turn';
      isComplete = message['type'] === 'message';
    },
    isInSearch: () => searchTexts.isOpen(),
    facts: () => ({
      firstUsage: firstUsage ?? (usage.messages() > 1 ? firstWhole : undefined),
      usage: usage.total(),
      continuations: Math.max(0, usage.messages() - 1),
      searches,
      searchTexts: searchTexts.texts,
      // The results of a paused turn come with its continuation.
      droppedSearches: isComplete && !isPaused && searches > 1 ? Math.max(0, searches - results) : 0,
      calls,
      loaded,
      hasOtherServerTools,
      isComplete,
    }),
  };
}

function firstSamplingIn(message: JsonObject): Usage | undefined {
  const { iterations } = objectOf(message['usage']);
  return Array.isArray(iterations) ? readAnthropicUsage(iterations[0]) : undefined;
}

function namesIn(block: JsonObject): readonly string[] {
  const references = objectOf(block['content'])['tool_references'];
  return (Array.isArray(references) ? references : []).flatMap((reference: unknown) => {
    const name = objectOf(reference)['tool_name'];
    return typeof name === 'string' ? [name] : [];
  });
}

function isFilled(input: unknown): boolean {
  return Object.keys(objectOf(input)).length > 0;
}
